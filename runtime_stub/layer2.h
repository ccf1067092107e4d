// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stub layer 2: OpenCL. What the header of a model with a GPU plan holds behind layer 1; see layer1.h for what
// a layer is. The text from BEGIN to END is pasted as it stands.
//
// Compiles as C99, C11 and C++17 without extensions.
/* BEGIN LAYER 2 */
#ifndef MACEC_LAYER_2
#define MACEC_LAYER_2 0x4225 /* check value of this text */
#ifdef __cplusplus
extern "C" {
#endif
enum { MACEC_KIND_OPENCL = 1, MACEC_ON_CPU = 0, MACEC_ON_GPU = 1 };

/* Chain it into options.next; start from macec_opencl_defaults(). Read by open only, strings too. */
typedef struct macec_opencl {
  uint32_t kind;     /* MACEC_KIND_OPENCL */
  uint32_t need_gpu; /* 0: the CPU takes over when the GPU is missing or fails; 1: MACEC_E_DEVICE */
  const void *next;
  const char *library;   /* path of the OpenCL library; NULL: the usual names and places */
  const char *cache_dir; /* folder for compiled programs; NULL: every open compiles and checks anew */
  /* cl_* handles of the app, or of another model's macec_report; retained until close. Each may be
     NULL; a queue runs its commands in order. */
  void *platform, *device, *context, *queue;
  uint32_t performance, priority, tuning; /* 0 default, 1 low, 2 normal, 3 high: where a driver
                                             knows such hints */
} macec_opencl;

typedef struct macec_report { /* where the context runs now, and why not elsewhere */
  uint32_t device;            /* MACEC_ON_CPU, MACEC_ON_GPU */
  macec_status reason;        /* 0, or why the GPU is not used: MACEC_E_DEVICE */
  const char *level;          /* "x86-64-v3": of the CPU's steps */
  const char *text;           /* the GPU's name, or why it is not used; valid until close */
  void *platform, *cl_device, *context, *queue; /* cl_* handles for the next model; NULL on the CPU */
} macec_report;

typedef struct macec_layer2 { /* what model->query(2) returns */
  macec_status (*report)(const macec_ctx *, macec_report *);
  /* Starts a run: MACEC_PENDING, or what run would have returned if it is done already. The buffers
     stay valid until wait has returned anything but MACEC_PENDING; until then the context takes
     only report, wait and close. */
  macec_status (*submit)(macec_ctx *, const int64_t *dims, const macec_in *, const macec_out *);
  /* What run would have returned; MACEC_PENDING: the time is over. UINT32_MAX: no limit. */
  macec_status (*wait)(macec_ctx *, uint32_t milliseconds);
} macec_layer2;

static inline macec_opencl macec_opencl_defaults(void) {
  macec_opencl o = {MACEC_KIND_OPENCL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0};
  return o;
}
static inline const macec_layer2 *macec_get_layer2(const macec_ctx *c) { /* NULL: a CPU-only model */
  return MACEC_CAST(const macec_layer2 *, c->model->query(2));
}
/* These three work on models without a GPU plan, too. */
static inline macec_status macec_get_report(const macec_ctx *c, macec_report *r) {
  const macec_layer2 *f = macec_get_layer2(c);
  macec_report none = {MACEC_ON_CPU, 0, "", "", NULL, NULL, NULL, NULL};
  *r = none;
  return f ? f->report(c, r) : (macec_status)MACEC_OK;
}
static inline macec_status macec_submit(macec_ctx *c, const int64_t *dims, const macec_in *in,
                                        const macec_out *out) {
  const macec_layer2 *f = macec_get_layer2(c);
  return f ? f->submit(c, dims, in, out) : c->model->run(c, dims, in, out);
}
static inline macec_status macec_wait(macec_ctx *c, uint32_t milliseconds) {
  const macec_layer2 *f = macec_get_layer2(c);
  return f ? f->wait(c, milliseconds) : (macec_status)MACEC_OK;
}
#ifdef __cplusplus
}
#endif
#elif MACEC_LAYER_2 != 0x4225
#error "macec: two different texts of stub layer 2 in one unit; a header was edited by hand"
#endif
/* END LAYER 2 */
