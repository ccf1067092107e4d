// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointwise steps as C++: the functor that a kernel takes, as codegen_templates/README.md describes
// it.
//
//   struct AddRelu {                                                   Add(., input 0), Relu
//     const float* a0;
//     int64_t r0;
//     template <class V, class N>
//     MACEC_INLINE V operator()(V v, int64_t row, int64_t col, N n) const {
//       const V x0 = load<V>(a0 + row * r0 + col, n);
//       const V v0 = (v + x0);
//       const V v1 = max_fast(splat<V>(0.0f), v0);
//       return v1;
//     }
//   };
//
// Pointers, strides and numbers are members that each step sets, in the order of `members`:
// AddRelu{p, 64}. Functors with equal `body` are one type, and a kernel instance is shared by their
// steps.
#pragma once
#include <string>
#include <vector>

#include "compiler/emit/element_text.h"
#include "compiler/ir/plan.h"

namespace macec {

struct FunctorMember {
  enum Kind {
    input,         // pointer to the operand's first element (offset of its view included)
    packed_input,  // const uint8_t* to the start of a tensor of 2- or 4-bit integers, offset of the
                   // view left out
    first_element,  // of a packed input: the view's offset, in elements
    output,         // pointer to the output's first element
    stride,         // elements: `extent`
    value           // `text`, a C++ literal of type `type`
  } kind;
  std::string type;  // "const float*", "int64_t", "float"
  std::string name;
  int operand = -1;  // index into inputs (pointwise), epilogue_inputs (epilogue) or outputs
  Dim extent;
  std::string text;
};

struct FunctorText {
  std::string stem;     // for a type name: "AddRelu"
  std::string summary;  // for a comment: "Add, Relu"
  std::string body;     // from the brace after the type's name to the one before the semicolon
  std::vector<FunctorMember> members;
  std::vector<std::string> headers;  // kernel headers the body needs ("kernels/math.h")

  std::string definition(const std::string& type_name) const {
    return "struct " + type_name + " " + body + ";\n";
  }
};

// The epilogue of a float kernel: call.epilogue over call.epilogue_inputs. The chain must have a
// vector form (ops/elementwise.h: has_vector_form).
FunctorText epilogue_functor(const KernelCall& call);

// The work of a call of Family::pointwise, as kernels/pointwise.h takes it: call.epilogue over
// call.inputs, call.results to call.outputs. kVector where the chain has a vector form, single
// elements otherwise.
FunctorText pointwise_functor(const KernelCall& call);

}  // namespace macec
