//! `--format json`: one document, as `docs/schema.json` describes it.

use crate::harness::Port;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn document(port: Port, status: i32) -> Value {
    let ran = port.args(["--format", "json"]).run().fails_with(status);
    serde_json::from_str(&ran.done.out).unwrap()
}

/// Every member that the schema demands is there, at every depth, with a type the schema allows.
fn conforms(schema: &Value, root: &Value, value: &Value, place: &str) {
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => &root["$defs"][reference.rsplit('/').next().unwrap()],
        None => schema,
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => vec![kind],
    };
    assert!(allowed.contains(&kind), "{place}: {kind} is none of {allowed:?}");
    if let Some(known) = schema["enum"].as_array() {
        assert!(known.contains(value), "{place}: {value} is none of {known:?}");
    }
    if value.is_object() {
        for required in schema["required"].as_array().into_iter().flatten() {
            assert!(value.get(required.as_str().unwrap()).is_some(), "{place}: {required} is missing");
        }
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            if let Some(member) = value.get(name) {
                conforms(inner, root, member, &format!("{place}.{name}"));
            }
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        conforms(&schema["items"], root, item, &format!("{place}[{index}]"));
    }
}

pub fn check(document: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    conforms(&schema, &schema, document, "$");
}

#[test]
fn a_run_says_what_each_op_did() {
    let port = Port::inline("replace in=\"a\" find=\"x\" with=\"y\" count=1\nmove from=\"a\" to=\"b\"")
        .file("a", "x\n");
    let document = document(port.args(["--out", "o"]), 0);
    check(&document);
    assert_eq!(document["status"], 0);
    assert_eq!(document["ops"][0]["counts"][0]["expected"], 1);
    assert_eq!(document["ops"][0]["counts"][0]["evidence"][0]["text"], "x");
    assert_eq!(document["changes"][0]["from"], "a");
    assert!(document["output"]["tree"].as_str().unwrap().starts_with("sha256:"));
}

#[test]
fn drift_findings_and_mistakes_are_in_the_document() {
    let drift = document(Port::inline("delete in=\"a\" files=2").file("a", ""), 1);
    check(&drift);
    assert_eq!(drift["ops"][0]["failure"]["kind"], "pin");
    let found = document(Port::inline("expect in=\"**\" files=1").file("torch-ext/p/a.py", "import p"), 1);
    check(&found);
    assert_eq!(found["checks"]["findings"][0]["rule"], "absolute-import");
    let mistakes = document(Port::inline("delete inn=\"a\"").file("a", ""), 2);
    check(&mistakes);
    assert_eq!(mistakes["mistakes"][0]["column"], 8);
}

#[test]
fn an_output_that_is_refused_is_in_the_document() {
    let port = Port::inline("delete in=\"a\"").file("a", "").file("b", "").on_disk("o/x", "mine");
    let document = document(port.args(["--out", "o"]), 5);
    check(&document);
    assert_eq!(document["status"], 5);
    assert_eq!(document["output"]["path"], "o");
    assert!(document["output"]["error"]["help"].is_string());
}

#[test]
fn options_that_shape_text_are_usage_errors() {
    Port::inline("delete in=\"a\"").file("a", "").args(["--format", "json", "--diff"]).run().fails_with(2);
}

#[test]
fn the_op_table_is_a_document() {
    let ran = Port::new().args(["ops", "--format", "json"]).run().succeeds();
    let document: Value = serde_json::from_str(&ran.done.out).unwrap();
    check(&document);
    assert!(document["table"].as_array().unwrap().iter().any(|op| op["name"] == "relativize_imports"));
}
