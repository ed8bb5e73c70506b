//! Tests of `prefix_torch_ops`, a table a form.

use crate::ops::Note;
use crate::ops::testing::Port;
use crate::python::Module;

const RECIPE: &str = r#"prefix_torch_ops in="torch-ext/pkg/**" namespace="ns""#;

fn prefixed(path: &str, text: &str) -> String {
    let (_, tree) = Port::new(RECIPE).file(path, text).ok();
    assert!(Module::parse(tree[path].as_bytes()).is_ok(), "{}", tree[path]);
    tree[path].clone()
}

#[test]
fn registrations_in_every_form() {
    for (before, after) in [
        (
            "import torch\n@torch.library.custom_op(\"ns::f\", mutates_args=())\ndef f(): pass\n",
            "import torch\nfrom ._ops import add_op_namespace_prefix\n@torch.library.custom_op(add_op_namespace_prefix(\"f\"), mutates_args=())\ndef f(): pass\n",
        ),
        (
            "from torch.library import triton_op as t\n@t(name='ns::f')\ndef f(): pass\n",
            "from torch.library import triton_op as t\nfrom ._ops import add_op_namespace_prefix\n@t(name=add_op_namespace_prefix('f'))\ndef f(): pass\n",
        ),
        (
            "from torch import library\nlibrary.define(\"ns::f\", \"() -> ()\")\nlibrary.impl(\"ns::f\", \"cuda\", g)\n",
            "from torch import library\nfrom ._ops import add_op_namespace_prefix\nlibrary.define(add_op_namespace_prefix(\"f\"), \"() -> ()\")\nlibrary.impl(add_op_namespace_prefix(\"f\"), \"cuda\", g)\n",
        ),
    ] {
        assert_eq!(prefixed("torch-ext/pkg/a.py", before), after);
    }
}

#[test]
fn uses_with_the_right_dots_and_one_import() {
    assert_eq!(
        prefixed(
            "torch-ext/pkg/s/t/a.py",
            "\"\"\"Doc.\"\"\"\nimport torch\n\nx = torch.ops.ns.f(torch.ops.ns.g.default)\ny = torch.ops.nsx.f\nz = torch.ops.ns\n"
        ),
        "\"\"\"Doc.\"\"\"\nimport torch\nfrom ..._ops import ops\n\nx = ops.f(ops.g.default)\ny = torch.ops.nsx.f\nz = ops\n"
    );
    assert_eq!(
        prefixed("torch-ext/pkg/a.py", "import torch\nfrom ._ops import ops\ntorch.ops.ns.f()\n"),
        "import torch\nfrom ._ops import ops\nops.f()\n"
    );
    assert_eq!(
        prefixed(
            "torch-ext/pkg/a.py",
            "import torch\r\n@torch.library.register_fake('ns::f')\r\ndef f(): return torch.ops.ns.f()"
        ),
        "import torch\r\nfrom ._ops import add_op_namespace_prefix, ops\r\n@torch.library.register_fake(add_op_namespace_prefix('f'))\r\ndef f(): return ops.f()"
    );
}

#[test]
fn near_misses_stay() {
    for text in [
        "import torch\nf.register_kernel('cuda')\n",
        "import torch\n@torch.library.custom_op('other::f')\ndef f(): pass\n",
        "# torch.ops.ns.f\nx = 'ns::f'\nprint('ns::f')\n",
        "def f(torch):\n    return torch.ops.ns.f\n",
    ] {
        let failure = Port::new(RECIPE).file("torch-ext/pkg/a.py", text).fails();
        assert!(failure.message.starts_with("no operator of ns"), "{text}: {}", failure.message);
    }
}

fn in_package(text: &str) -> String {
    prefixed("torch-ext/pkg/a.py", text)
}

#[test]
fn registrations_are_known_through_assignments_and_wrappers() {
    for (before, after) in [
        // flash_attn/flash_attn_interface.py
        (
            "import torch\nif torch.__version__ >= '2.4.0':\n    w = torch.library.custom_op\nelse:\n    def noop(n): return n\n    w = noop\n@w(\"ns::f\")\ndef f(): pass\n",
            "import torch\nfrom ._ops import add_op_namespace_prefix\nif torch.__version__ >= '2.4.0':\n    w = torch.library.custom_op\nelse:\n    def noop(n): return n\n    w = noop\n@w(add_op_namespace_prefix(\"f\"))\ndef f(): pass\n",
        ),
        // flash_attn/ops/triton/layer_norm.py
        (
            "from .library import triton_op\n@triton_op(\"ns::f\", mutates_args={})\ndef f(): pass\n",
            "from .library import triton_op\nfrom ._ops import add_op_namespace_prefix\n@triton_op(add_op_namespace_prefix(\"f\"), mutates_args={})\ndef f(): pass\n",
        ),
        (
            "lib.impl(\"ns::f\", g)\nlib.define(\"ns::f(Tensor x) -> ()\")\n",
            "from ._ops import add_op_namespace_prefix\nlib.impl(add_op_namespace_prefix(\"f\"), g)\nlib.define(add_op_namespace_prefix(\"f(Tensor x) -> ()\"))\n",
        ),
        (
            "import torch\ntorch.library.define(f'ns::{f}', r'x')\n",
            "import torch\nfrom ._ops import add_op_namespace_prefix\ntorch.library.define(add_op_namespace_prefix(f'{f}'), r'x')\n",
        ),
        (
            "import torch\ntorch.library.define(\"ns::\" \"f\", s)\n",
            "import torch\nfrom ._ops import add_op_namespace_prefix\ntorch.library.define(add_op_namespace_prefix(\"\" \"f\"), s)\n",
        ),
    ] {
        assert_eq!(in_package(before), after);
    }
}

#[test]
fn a_namespace_held_by_a_constant_is_followed() {
    for (before, after) in [
        // causal_conv1d/cpp_functions.py
        (
            "import torch\nNAME = \"ns\"\n@torch.library.custom_op(f\"{NAME}::f\", mutates_args={\"x\"})\ndef f(): pass\n",
            "import torch\nfrom ._ops import add_op_namespace_prefix\nNAME = \"ns\"\n@torch.library.custom_op(add_op_namespace_prefix(\"f\"), mutates_args={\"x\"})\ndef f(): pass\n",
        ),
        (
            "import torch\nNAME = 'ns'\ntorch.library.define(rf'{NAME}::{x}_f', s)\n",
            "import torch\nfrom ._ops import add_op_namespace_prefix\nNAME = 'ns'\ntorch.library.define(add_op_namespace_prefix(rf'{x}_f'), s)\n",
        ),
        (
            "import torch\nNAME = 'ns'\nlib = torch.library.Library(NAME, 'DEF')\nf = getattr(torch.ops, NAME).f\n",
            "import torch\nfrom ._ops import add_op_namespace_prefix, ops\nNAME = 'ns'\nlib = torch.library.Library(add_op_namespace_prefix(\"\").removesuffix(\"::\"), 'DEF')\nf = ops.f\n",
        ),
    ] {
        assert_eq!(in_package(before), after);
    }
}

#[test]
fn operators_in_a_form_that_is_not_followed_are_shown() {
    let text = "import torch\nOP = 'ns::f'\ntorch.library.custom_op(OP)\n";
    let failure = Port::new(RECIPE).file("torch-ext/pkg/a.py", text).fails();
    assert_eq!(failure.message, "no operator of ns in the 1 Python file that in= matches");
    assert_eq!(failure.evidence[0].text, "'ns::f'");
    assert_eq!(failure.hints.len(), 1);
}

#[test]
fn a_library_gets_the_generated_namespace() {
    assert_eq!(
        in_package(
            "import torch\nlib = torch.library.Library(\"ns\", \"FRAGMENT\")\nlib.define(\"f(Tensor x) -> ()\")\n"
        ),
        "import torch\nfrom ._ops import add_op_namespace_prefix\nlib = torch.library.Library(add_op_namespace_prefix(\"\").removesuffix(\"::\"), \"FRAGMENT\")\nlib.define(\"f(Tensor x) -> ()\")\n"
    );
}

#[test]
fn uses_in_every_form() {
    for (before, after) in [
        ("import torch as t\nt.ops.ns.f\n", "import torch as t\nfrom ._ops import ops\nops.f\n"),
        (
            "try:\n    import torch\nexcept ImportError:\n    torch = None\nx = torch.ops.ns.f\n",
            "from ._ops import ops\ntry:\n    import torch\nexcept ImportError:\n    torch = None\nx = ops.f\n",
        ),
        (
            "import torch\ncuda = torch.ops.ns\ncuda.fwd(x)\n",
            "import torch\nfrom ._ops import ops\ncuda = ops\ncuda.fwd(x)\n",
        ),
        (
            "import torch\nf = getattr(torch.ops, 'ns').f\ng = getattr(torch.ops.ns, 'g')\n",
            "import torch\nfrom ._ops import ops\nf = ops.f\ng = getattr(ops, 'g')\n",
        ),
        ("import torch; f = torch.ops.ns.f\n", "import torch; from ._ops import ops; f = ops.f\n"),
        (
            "import torch; x = '''\n1'''\nf = torch.ops.ns.f\n",
            "import torch; x = '''\n1'''\nfrom ._ops import ops\nf = ops.f\n",
        ),
        (
            "import torch\ntry:\n    import a\nexcept ImportError:\n    a = None\nimport b\n\ndef f(): torch.ops.ns.f()\n",
            "import torch\ntry:\n    import a\nexcept ImportError:\n    a = None\nimport b\nfrom ._ops import ops\n\ndef f(): ops.f()\n",
        ),
    ] {
        assert_eq!(in_package(before), after);
    }
}

#[test]
fn another_ops_is_never_taken_for_the_generated_one() {
    for (before, after) in [
        (
            "import torch\ndef f(ops): return torch.ops.ns.f(ops)\n",
            "import torch\nfrom ._ops import ops as kernel_ops\ndef f(ops): return kernel_ops.f(ops)\n",
        ),
        (
            "import torch\nfrom . import ops\ntorch.ops.ns.f()\n",
            "import torch\nfrom . import ops\nfrom ._ops import ops as kernel_ops\nkernel_ops.f()\n",
        ),
        (
            "from torch import ops\nops.ns.f(ops.aten.g)\n",
            "from torch import ops\nfrom ._ops import ops as kernel_ops\nkernel_ops.f(ops.aten.g)\n",
        ),
        (
            "import torch\nfrom ._ops import ops as o\ntorch.ops.ns.f(o.g)\n",
            "import torch\nfrom ._ops import ops as o\no.f(o.g)\n",
        ),
        (
            "import torch\nfrom ._ops import ops\ntorch.library.custom_op('ns::f', ops.g)\ntorch.ops.ns.f\n",
            "import torch\nfrom ._ops import ops\nfrom ._ops import add_op_namespace_prefix\ntorch.library.custom_op(add_op_namespace_prefix('f'), ops.g)\nops.f\n",
        ),
        (
            "import torch\nf = torch.ops.ns.f\nfrom ._ops import ops\n",
            "import torch\nfrom ._ops import ops\nf = ops.f\nfrom ._ops import ops\n",
        ),
    ] {
        assert_eq!(in_package(before), after);
    }
}

#[test]
fn what_may_name_an_operator_is_warned_of() {
    let text = "import torch\ntorch.library.custom_op('ns::f')\ndispatch('ns::g')\ntorch.library.custom_op(f'{N}::h')\n";
    let run = Port::new(RECIPE).file("torch-ext/pkg/a.py", text).run();
    let warned =
        |at: &str| Note::Warning(format!("torch-ext/pkg/a.py:{at} may name an operator and stays as it is"));
    assert_eq!(run.steps[0].notes, [warned("4:25: f'{N}::h'"), warned("3:10: 'ns::g'")]);
    assert_eq!(run.steps[0].log, "prefixed 1 operator name in 1 file");
}

#[test]
fn what_cannot_be_moved_is_refused() {
    let fails = |path: &str, text: &str| {
        Port::new(&RECIPE.replace("torch-ext/pkg/**", "**")).file(path, text).fails().message
    };
    let path = "torch-ext/pkg/a.py";
    for text in [
        "import torch\n@torch.library.custom_op('ns' '::f')\ndef f(): pass\n",
        "import torch\n@torch.library.custom_op('ns\\x3a:f')\ndef f(): pass\n",
        "import torch\n(torch.ops).ns.f()\n",
        "from torch.ops import ns\nns.f()\n",
    ] {
        assert_eq!(fails(path, text), "operators are named in a form that cannot be edited", "{text}");
    }
    assert_eq!(
        fails("pkg/a.py", "import torch\ntorch.ops.ns.f()\n"),
        "a file with such operators lies outside of torch-ext/<package>"
    );
}

#[test]
fn a_second_run_finds_nothing() {
    let text = "import torch\nl = torch.library.Library('ns', 'DEF')\n@torch.library.custom_op('ns::f')\ndef f(): torch.ops.ns.f()\n";
    let recipe = format!("{RECIPE} changes=3\n{RECIPE} changes=0");
    Port::new(&recipe).file("torch-ext/pkg/a.py", text).ok();
}
