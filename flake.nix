{
  description = "Port GPU kernel repositories to the kernel-builder layout";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      forAllSystems = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      manifest = (nixpkgs.lib.importTOML ./Cargo.toml).package;
    in
    {
      packages = forAllSystems (pkgs: rec {
        kernel-port = pkgs.rustPlatform.buildRustPackage {
          pname = manifest.name;
          version = manifest.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The tests build git repositories.
          nativeCheckInputs = [ pkgs.git ];
          postInstall = ''
            installShellCompletion --cmd kernel-port \
              --bash <($out/bin/kernel-port completions bash) \
              --fish <($out/bin/kernel-port completions fish) \
              --zsh <($out/bin/kernel-port completions zsh)
            $out/bin/kernel-port man > kernel-port.1
            installManPage kernel-port.1
          '';
          meta = {
            description = manifest.description;
            license = pkgs.lib.licenses.asl20;
            mainProgram = manifest.name;
          };
        };
        default = kernel-port;
      });

      devShells = forAllSystems (pkgs: {
        default = pkgs.mkShell {
          packages = [
            pkgs.cargo
            pkgs.clippy
            pkgs.rustc
            pkgs.rustfmt
            pkgs.git
          ];
        };
      });
    };
}
