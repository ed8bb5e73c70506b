#include <torch/library.h>

#include "registration.h"
#include "torch_binding.h"

using OptionalTensor = std::optional<at::Tensor>;

// The dispatcher passes optional tensors by value; upstream's function takes `dz` by reference.
static std::vector<at::Tensor> bwd(const at::Tensor &u, const at::Tensor &delta, const at::Tensor &A,
                                   const at::Tensor &B, const at::Tensor &C, const OptionalTensor &D,
                                   const OptionalTensor &z, const OptionalTensor &delta_bias,
                                   const at::Tensor &dout, const OptionalTensor &x, const OptionalTensor &out,
                                   OptionalTensor dz, bool delta_softplus, bool recompute_out_z) {
  return selective_scan_bwd(u, delta, A, B, C, D, z, delta_bias, dout, x, out, dz, delta_softplus,
                            recompute_out_z);
}

TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) {
  ops.def(
      "fwd(Tensor u, Tensor delta, Tensor A, Tensor B, Tensor C, Tensor? D, Tensor? z, Tensor? delta_bias, "
      "bool delta_softplus) -> Tensor[]");
  ops.impl("fwd", torch::kCUDA, &selective_scan_fwd);
  ops.def(
      "bwd(Tensor u, Tensor delta, Tensor A, Tensor B, Tensor C, Tensor? D, Tensor? z, Tensor? delta_bias, "
      "Tensor dout, Tensor? x, Tensor? out, Tensor!? dz, bool delta_softplus, bool recompute_out_z) -> Tensor[]");
  ops.impl("bwd", torch::kCUDA, &bwd);
}

REGISTER_EXTENSION(TORCH_EXTENSION_NAME)
