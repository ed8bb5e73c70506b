//! The subcommand over both streams.

use super::*;
use clap::Parser;
use std::fs;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: VariantsArgs,
}

/// Exit status, standard output, standard error.
fn variants(args: &[&str]) -> (u8, String, String) {
    let line = Line::try_parse_from([&["variants"], args].concat()).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = run(&line.args, &mut out, &mut err);
    (status, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

const CUDA: &str = "torch210-cxx11-cu128-x86_64-linux";

#[test]
fn names_are_explained_in_a_table() {
    let expected = "\
name                               notation  framework           backend      python  platform  os
torch210-cxx11-cu128-x86_64-linux  legacy    torch 2.10 cxx11    CUDA 12.8    abi3    x86_64    linux
torch-universal                    both      torch, Python only  any backend  -       -         -
";
    assert_eq!(variants(&[CUDA, "torch-universal"]), (0, expected.to_owned(), String::new()));
}

#[test]
fn wrong_names_are_underlined() {
    let expected = "\
error: unknown tag `cxx14`
  torch213-cxx14-cpu-x86_64-linux
           ^^^^^
  help: did you mean `cxx11`? expected `cxx11` or `cxx98`
";
    assert_eq!(variants(&["torch213-cxx14-cpu-x86_64-linux"]), (1, String::new(), expected.to_owned()));
}

#[test]
fn names_are_converted_one_a_line() {
    let dotted = "torch-2.10-cxx11-cuda-12.8-abi3-x86_64-linux";
    assert_eq!(variants(&[CUDA, "--to", "dotted"]), (0, format!("{dotted}\n"), String::new()));
    assert_eq!(variants(&[dotted, "--to", "legacy"]), (0, format!("{CUDA}\n"), String::new()));
    let (status, out, err) = variants(&["torch-2.14-cpu-abi3t-x86_64-linux", "torch-npu", "--to", "legacy"]);
    assert_eq!((status, out.as_str()), (1, "torch-npu\n"));
    assert_eq!(
        err,
        "error: `torch-2.14-cpu-abi3t-x86_64-linux`: abi3t has no legacy name: a legacy name always means abi3\n"
    );
    let (_, out, _) = variants(&[CUDA, "--to", "dotted", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json, serde_json::json!([{ "from": CUDA, "to": dotted }]));
}

#[test]
fn a_doubtful_conversion_warns() {
    let (status, out, err) = variants(&["torch210-cu1210-x86_64-linux", "--to", "dotted"]);
    assert_eq!((status, out.as_str()), (0, "torch-2.10-cuda-121.0-abi3-x86_64-linux\n"));
    assert!(err.starts_with("warning: `torch210-cu1210-x86_64-linux`: reads as CUDA 121.0"), "{err}");
}

#[test]
fn choosing_shows_all_reasons() {
    let system = "torch=2.10,cuda=12.8,cpu=x86_64,os=linux,cxx11=true";
    let expected = "\
torch210-cxx11-cu128-x86_64-linux  chosen
torch-universal                    fits, but `torch210-cxx11-cu128-x86_64-linux` is preferred
torch-rocm                         for rocm, the system has cuda
";
    let args = ["torch-rocm", CUDA, "torch-universal", "--for", system];
    assert_eq!(variants(&args), (0, expected.to_owned(), String::new()));
    assert_eq!(
        variants(&["torch-rocm", "--for", system]),
        (
            1,
            "torch-rocm  for rocm, the system has cuda\n".to_owned(),
            "error: no variant fits torch=2.10,cuda=12.8,cxx11=true,python=abi3,cpu=x86_64,os=linux\n"
                .to_owned()
        )
    );
    let (status, out, _) = variants(&[CUDA, "torch-rocm", "--for", system, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, json["chosen"].as_str()), (0, Some(CUDA)));
    assert_eq!(json["decisions"][1]["kind"], "rejected");
}

#[test]
fn a_wrong_system_is_a_usage_error() {
    let expected = "\
error: unknown key `cdua`
  cpu=x86_64,cdua=12.8
             ^^^^^^^^^
  help: did you mean `cuda`?
";
    assert_eq!(variants(&[CUDA, "--for", "cpu=x86_64,cdua=12.8"]), (2, String::new(), expected.to_owned()));
}

fn repository(names: &[&str], manifest: &str) -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    for name in names {
        fs::create_dir_all(top.path().join("build").join(name)).unwrap();
    }
    fs::write(top.path().join("build.toml"), manifest).unwrap();
    top
}

#[test]
fn a_repository_is_checked_against_its_build_toml() {
    let top = repository(&[CUDA], "[general]\nbackends = [\"rocm\"]\n");
    let dir = top.path().to_str().unwrap();
    let (status, out, err) = variants(&[dir]);
    assert_eq!(status, 1);
    assert!(out.starts_with(&format!("{dir}/build:\nname ")), "{out}");
    assert_eq!(
        err,
        format!(
            "warning: build.toml declares `rocm`, and no variant is for it\n\
             error: `{CUDA}` is for `cuda`, which build.toml does not declare\n"
        )
    );
    let (_, out, err) = variants(&[dir, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["folders"][0]["findings"][1]["kind"], "undeclared-backend");
    assert_eq!(json["folders"][0]["variants"][0]["dotted"], "torch-2.10-cxx11-cuda-12.8-abi3-x86_64-linux");
    assert_eq!(err, "");
    // The path of a variant's own directory stands for its name.
    let (_, out, _) = variants(&[&format!("{dir}/build/{CUDA}"), "--to", "legacy"]);
    assert_eq!(out, format!("{CUDA}\n"));
}

#[test]
fn renaming_is_shown_unless_written() {
    let top = repository(&[CUDA], "");
    let dir = top.path().to_str().unwrap();
    let (old, new) = (CUDA, "torch-2.10-cxx11-cuda-12.8-abi3-x86_64-linux");
    let (status, out, _) = variants(&[dir, "--rename", "--to", "dotted"]);
    let preview = format!("{old} -> {new}\nwould rename 1 directory in {dir}/build; `--write` renames\n");
    assert_eq!((status, out), (0, preview));
    assert!(top.path().join("build").join(old).is_dir());
    let (status, out, _) = variants(&[dir, "--rename", "--to", "dotted", "--write"]);
    assert_eq!((status, out), (0, format!("{old} -> {new}\nrenamed 1 directory in {dir}/build\n")));
    assert!(top.path().join("build").join(new).is_dir());
}

#[test]
fn one_refusal_keeps_all_folders_as_they_are() {
    let fine = repository(&[CUDA], "");
    let bad = repository(&["torch29-cpu-x86_64-linux", "torch-2.9-cpu-abi3-x86_64-linux"], "");
    let (fine, bad) = (fine.path().to_str().unwrap(), bad.path().to_str().unwrap());
    let (status, out, err) = variants(&[fine, bad, "--rename", "--to", "dotted", "--write"]);
    assert_eq!(status, 1);
    assert!(out.contains(&format!("would rename 1 directory in {fine}/build; `--write` renames\n")), "{out}");
    assert!(out.ends_with(&format!("nothing to rename in {bad}/build\n")), "{out}");
    assert!(err.ends_with("which is there already; delete one\nerror: nothing was renamed\n"), "{err}");
    assert!(Path::new(fine).join("build").join(CUDA).is_dir());
}

#[test]
fn usage_errors() {
    let (status, _, err) = variants(&["torch-cuda", "--rename", "--to", "dotted"]);
    assert_eq!((status, err.as_str()), (2, "error: `--rename` is for folders, and `torch-cuda` is none\n"));
    let (status, _, err) = variants(&["./no/such"]);
    assert_eq!(status, 2);
    assert!(err.starts_with("error: cannot read ./no/such: "), "{err}");
    let top = repository(&[], "[general");
    let (status, _, err) = variants(&[top.path().to_str().unwrap()]);
    assert_eq!(status, 2);
    assert!(err.contains("build.toml: TOML parse error at line 1"), "{err}");
    for args in [&["a", "--write"][..], &["a", "--rename"], &["a", "--for", "b", "--to", "dotted"], &[]] {
        assert!(Line::try_parse_from([&["variants"], args].concat()).is_err(), "{args:?}");
    }
}
