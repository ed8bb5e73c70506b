{
  description = "mamba-ssm, ported with kernel-port";

  inputs.kernel-builder.url = "github:huggingface/kernel-builder";

  outputs =
    { self, kernel-builder }:
    kernel-builder.lib.genFlakeOutputs {
      inherit self;
      path = ./.;
    };
}
