//! Findings for programs: our own JSON, and SARIF 2.1.0 for code review tools.

use crate::check::{Finding, RULES, Report, Severity};
use serde_json::{Value, json};

/// The findings and allowances as part of our JSON documents.
pub fn json(report: &Report) -> Value {
    let finding = |f: &Finding| {
        json!({
            "rule": f.rule,
            "severity": f.severity.name(),
            "path": f.place.path.to_string(),
            "line": f.place.position.map(|p| p.line),
            "column": f.place.position.map(|p| p.column),
            "text": f.place.text,
            "message": f.message,
        })
    };
    let allowances = report
        .allowances
        .iter()
        .map(|a| json!({ "rule": a.rule, "in": a.within, "reason": a.reason, "excused": a.excused.len() }));
    json!({
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "allowances": allowances.collect::<Vec<_>>(),
    })
}

/// A SARIF log with one run.
pub fn sarif(report: &Report) -> Value {
    let rules = RULES.iter().map(|rule| {
        json!({
            "id": rule.id,
            "shortDescription": { "text": rule.summary },
            "fullDescription": { "text": format!("Why: {}. When it is ignored: {}.", rule.why, rule.breaks) },
            "help": { "text": rule.fix },
            "defaultConfiguration": { "level": rule.severity.name() },
        })
    });
    let level = |severity: Severity| severity.name();
    let result = |f: &Finding| {
        let mut location = json!({ "artifactLocation": { "uri": uri(f.place.path.as_bytes()) } });
        if let Some(position) = f.place.position {
            location["region"] = json!({ "startLine": position.line, "startColumn": position.column });
        }
        json!({
            "ruleId": f.rule,
            "ruleIndex": RULES.iter().position(|rule| rule.id == f.rule),
            "level": level(f.severity),
            "message": { "text": f.message },
            "locations": [{ "physicalLocation": location }],
        })
    };
    let excused = report.allowances.iter().flat_map(|allowance| {
        allowance.excused.iter().map(|finding| {
            let mut value = result(finding);
            value["suppressions"] = json!([{ "kind": "external", "justification": allowance.reason }]);
            value
        })
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "kernel-port",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": report.findings.iter().map(result).chain(excused).collect::<Vec<_>>(),
        }],
    })
}

/// A path as a relative URI: what is no unreserved character is percent-encoded.
fn uri(path: &[u8]) -> String {
    let mut out = String::new();
    for byte in path {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(*byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_become_relative_uris() {
        assert_eq!(super::uri("a b/c#é.py".as_bytes()), "a%20b/c%23%C3%A9.py");
    }
}
