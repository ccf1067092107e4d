/* old.h: written by a test of macec; a name from outside: * / // \  */
/* BEGIN LAYER 1 */
#ifndef MACEC_LAYER_1
#define MACEC_LAYER_1 0x1854 /* check value of this text */
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#define MACEC_CAST(T, p) reinterpret_cast<T>(p)
#else
#define MACEC_CAST(T, p) ((T)(p))
#endif
#if defined(__cplusplus) || defined(_MSC_VER)
#define MACEC_LEAST(n) n
#else
#define MACEC_LEAST(n) static n /* C compilers warn when a smaller array is passed */
#endif
/* For sizes that depend on dimensions; constant where their arguments are. FLOOR_DIV: b > 0 */
#define MACEC_FLOOR_DIV(a, b) ((a) / (b) - ((a) % (b) < 0))
#define MACEC_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MACEC_MAX(a, b) ((a) < (b) ? (b) : (a))
#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t macec_status; /* 0 done, 1 still running (submit/wait only), < 0 failed */
enum {
  MACEC_OK = 0, MACEC_PENDING = 1,
  MACEC_E_ARG = -1, MACEC_E_STATE = -2, MACEC_E_ALIGN = -3, MACEC_E_SMALL = -4, /* the call   */
  MACEC_E_SHAPE = -16, MACEC_E_RANGE = -18,                                     /* the data   */
  MACEC_E_BUILD = -32, MACEC_E_WEIGHTS = -33, MACEC_E_HASH = -34,               /* the build  */
  MACEC_E_CPU = -48, MACEC_E_DEVICE = -49, MACEC_E_CANCELLED = -52              /* the device */
};

typedef struct macec_in { const void *data; size_t bytes; } macec_in;
typedef struct macec_out { void *data; size_t bytes; } macec_out;

typedef struct macec_error { /* the last failure: whose, what, and the two numbers that disagree */
  macec_status status;
  int32_t item; /* index of the input, output or dim; -1 none */
  const char *model, *what;
  int64_t have, need;
} macec_error;

struct macec_model;
/* Head of every context; the rest is private. One thread at a time; many contexts at once. */
typedef struct macec_ctx { const struct macec_model *model; } macec_ctx;

/* Filled by bind; then read-only and shared by any number of contexts and threads. */
typedef struct macec_weights {
  const struct macec_model *model;
  const void *data;
  size_t bytes;
  void *device;
} macec_weights;

typedef struct macec_options { /* start from macec_defaults(); copied by open */
  uint32_t layer;
  uint32_t threads; /* workers that may take part, >= 1; results do not depend on it */
  uint32_t level;   /* instruction set: 0 the best of this CPU, n the n-th of the model (tests) */
  uint32_t zero;    /* 0 */
  void *user;       /* first argument of the four hooks; each hook may be NULL */
  /* calls part for every i < n once, with worker < threads, never two calls at once with the same
     worker; returns when all have returned */
  void (*parallel_for)(void *user, uint32_t n,
                       void (*part)(void *arg, uint32_t i, uint32_t worker), void *arg);
  int (*cancelled)(void *user); /* asked between steps; not 0: the run ends */
  void (*on_step)(void *user, uint32_t step, const char *name, int begins); /* --hooks=steps only */
  void (*log)(void *user, int severity, const char *text); /* 0 info, 1 warning, 2 error */
  const macec_weights *weights; /* NULL: the embedded ones */
  macec_out fast, state; /* own memory for these parts (TCM; retained RAM); {NULL, 0}: none */
  macec_error *error;    /* filled when a call fails; outlives the context; may be NULL */
  const void *next;      /* extension structs of later layers, chained: unknown kinds are skipped,
                            those >= 0x80000000 refused */
} macec_options;

typedef struct macec_dim { const char *name; int64_t lo, hi; } macec_dim;

enum { MACEC_OPTIONAL = 1 };
typedef struct macec_tensor {
  const char *name;     /* as in the ONNX file */
  const int32_t *shape; /* >= 0 fixed; < 0 ~index of a dim; INT32_MIN computed: model->shape */
  uint8_t dtype, rank;  /* dtype: ONNX TensorProto.DataType */
  uint16_t flags;       /* MACEC_OPTIONAL: an output whose data may be NULL, not wanted */
  size_t max_bytes;
  const float *scale;   /* quantized tensors; else NULL, NULL, 0, -1 */
  const int32_t *zero_point;
  uint32_t n_scale;
  int32_t axis;
} macec_tensor;

/* The only symbol of a generated file is `const macec_model *<name>_model(void)`. */
typedef struct macec_model {
  uint32_t layer, build;   /* build: hash of the generated pair; header and source must agree */
  uint64_t weights_layout; /* blobs with this number fit, whatever their values */
  const char *name, *compiler, *target, *options;
  uint8_t onnx_sha256[32];
  size_t memory_bytes, fast_bytes, state_bytes;
  uint32_t max_threads, n_dim, n_in, n_out;
  const macec_dim *dim;
  const macec_tensor *in, *out;
  macec_status (*open)(macec_ctx **, void *memory, size_t bytes, const macec_options *);
  /* dims, inputs, outputs: n_dim, n_in, n_out entries. Buffers need only their element's alignment;
     an output overlaps nothing. After a failure states are as before, outputs unspecified. */
  macec_status (*run)(macec_ctx *, const int64_t *dims, const macec_in *, const macec_out *);
  macec_status (*shape)(const macec_ctx *, uint32_t out, int64_t *dims); /* of the last run */
  void *(*input)(macec_ctx *, uint32_t in); /* memory that run reads without a copy; NULL: none */
  macec_status (*reset)(macec_ctx *);       /* states back to their initial values */
  macec_status (*use)(macec_ctx *, const macec_weights *); /* other weights, between runs */
  void (*close)(macec_ctx *); /* gives devices back; the memory stays the caller's */
  macec_status (*bind)(macec_weights *, const void *blob, size_t bytes, int verify,
                       const macec_options *); /* verify: check the hash of it all */
  void (*unbind)(macec_weights *);
  const void *(*query)(uint32_t layer); /* functions of a later layer, or NULL */
} macec_model;

static inline macec_options macec_defaults(void) {
  macec_options o = {1,    1,    0,    0,         NULL,      NULL, NULL,
                     NULL, NULL, NULL, {NULL, 0}, {NULL, 0}, NULL, NULL};
  return o;
}
static inline macec_status macec_run(macec_ctx *c, const int64_t *dims, const macec_in *in,
                                     const macec_out *out) {
  return c ? c->model->run(c, dims, in, out) : (macec_status)MACEC_E_ARG;
}
static inline void macec_close(macec_ctx *c) {
  if (c) c->model->close(c);
}
static inline int64_t macec_clamp(int64_t v, int64_t lo, int64_t hi) {
  return v < lo ? lo : v > hi ? hi : v;
}

static inline size_t macec_put(char *text, size_t n, size_t used, const char *s) {
  while (*s && used + 1 < n) text[used++] = *s++;
  if (used < n) text[used] = '\0';
  return used;
}
static inline size_t macec_put_int(char *text, size_t n, size_t used, int64_t v) {
  char digits[24];
  size_t at = sizeof digits - 1;
  uint64_t u = v < 0 ? 0u - (uint64_t)v : (uint64_t)v;
  digits[at] = '\0';
  do {
    digits[--at] = (char)('0' + (int)(u % 10u));
    u /= 10u;
  } while (u);
  if (v < 0) digits[--at] = '-';
  return macec_put(text, n, used, &digits[at]);
}
/* "vad: bytes of input 'audio': have 784, need 1024 (error -4)"; cut to n bytes, always terminated */
static inline const char *macec_error_text(const macec_error *e, char *text, size_t n) {
  size_t used = macec_put(text, n, 0, e->model ? e->model : "macec");
  used = macec_put(text, n, used, ": ");
  used = macec_put(text, n, used, e->what ? e->what : "");
  if (e->have != e->need) {
    used = macec_put_int(text, n, macec_put(text, n, used, ": have "), e->have);
    used = macec_put_int(text, n, macec_put(text, n, used, ", need "), e->need);
  }
  used = macec_put_int(text, n, macec_put(text, n, used, " (error "), e->status);
  macec_put(text, n, used, ")");
  return text;
}
#ifdef __cplusplus
}
#endif
#elif MACEC_LAYER_1 != 0x1854
#error "macec: two different texts of stub layer 1 in one unit; a header was edited by hand"
#endif
/* END LAYER 1 */

/* BEGIN MODEL old */
#ifndef OLD_H
#define OLD_H
/* audio float32[frames,8] -> prob float32[frames+1,1]; state h */
#define OLD_BUILD 0x01d01d01u
#define OLD_MEMORY_BYTES 1599 /* sufficient at any sizes and up to OLD_MAX_THREADS workers; any alignment */
#define OLD_STATE_BYTES 831 /* of these the states; options.state takes them elsewhere */
#define OLD_MAX_THREADS 4
#define OLD_FRAMES_MAX 32
#define OLD_HEIGHT_MAX 96
#define OLD_OTHER_FRAMES_MAX 64
#define OLD_AUDIO_ELEMS(frames) ((frames) * 8)
#define OLD_PROB_0_ELEMS(frames) (((frames) + 1))
enum { OLD_IN_AUDIO = 0, OLD_OUT_PROB_0 = 0, OLD_DIM_FRAMES = 0, OLD_DIM_HEIGHT = 1, OLD_DIM_OTHER_FRAMES = 2 };
#ifndef OLD_API
#define OLD_API /* -DOLD_API='__attribute__((visibility("default")))' exports it from a shared library */
#endif
#ifdef __cplusplus
extern "C" {
#endif
typedef struct old_ctx old_ctx; /* a macec_ctx: old_base(m) for the general functions */
OLD_API const macec_model *old_model(void);
static inline macec_ctx *old_base(old_ctx *m) { return MACEC_CAST(macec_ctx *, m); }

/* memory: OLD_MEMORY_BYTES of any alignment, yours until old_close; options NULL: defaults */
static inline macec_status old_open(old_ctx **m, void *memory, size_t bytes, const macec_options *options) {
  const macec_model *model = old_model();
  macec_ctx *c = NULL;
  macec_status s = MACEC_E_BUILD;
  if (model->build == OLD_BUILD) {
    s = model->open(&c, memory, bytes, options);
  } else if (options && options->error) {
    macec_error e = {MACEC_E_BUILD, -1, "old", "old.h and old.cpp come from different runs of macec: build number", 0, 0};
    e.have = (int64_t)model->build;
    e.need = (int64_t)OLD_BUILD;
    *options->error = e;
  }
  *m = MACEC_CAST(old_ctx *, c);
  return s;
}
/* Returns 0, or an error and leaves the outputs unspecified.
   frames: 1 to 32
   height: 32 to 96 in steps of 32
   other_frames: 0 to 64
   audio: float32[frames,8]
   prob_0: float32[frames+1,1], in the model 'Prob:0'
   state 'h' float32[6] is carried from call to call
   state 'cache' float32[Other Frames] is carried from call to call */
static inline macec_status old_run(old_ctx *m, int64_t frames, int64_t height, int64_t other_frames, const float *audio, float *prob_0) {
  int64_t dims[3];
  macec_in in[1];
  macec_out out[1];
  dims[0] = frames;
  frames = macec_clamp(frames, 1, OLD_FRAMES_MAX); /* run() refuses what this changes */
  dims[1] = height;
  dims[2] = other_frames;
  in[0].data = audio;
  in[0].bytes = (size_t)OLD_AUDIO_ELEMS(frames) * sizeof(float);
  out[0].data = prob_0;
  out[0].bytes = (size_t)OLD_PROB_0_ELEMS(frames) * sizeof(float);
  return macec_run(old_base(m), dims, in, out);
}
static inline void old_close(old_ctx *m) { macec_close(old_base(m)); }
/* states back to zero */
static inline macec_status old_reset(old_ctx *m) { return old_base(m)->model->reset(old_base(m)); }
#ifdef __cplusplus
}
#endif
#endif /* OLD_H */
/* END MODEL old */
