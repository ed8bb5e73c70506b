{
  description = "relu-fast, a compiled example kernel";

  inputs.kernel-builder.url = "github:huggingface/kernel-builder";

  outputs =
    { self, kernel-builder }:
    kernel-builder.lib.genFlakeOutputs {
      inherit self;
      path = ./.;
    };
}
