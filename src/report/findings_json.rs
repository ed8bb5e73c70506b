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
    use super::*;
    use crate::check::{Input, run};
    use crate::ops::testing::Port;

    fn report() -> Report {
        let recipe = "allow rule=\"absolute-import\" in=\"**/b.py\" reason=\"shown to users\"";
        let port = Port::new(recipe).file("torch-ext/a b/a.py", "x = 1\n  # é\nfrom ..c import d\n");
        let done = port.file("torch-ext/p/b.py", "import p").run();
        run(&Input::new(&done.workspace, &done.records), &done.records, false)
    }

    #[test]
    fn paths_become_relative_uris() {
        assert_eq!(uri("a b/c#é.py".as_bytes()), "a%20b/c%23%C3%A9.py");
    }

    #[test]
    fn findings_and_allowances_as_json() {
        let value = json(&report());
        assert_eq!(value["findings"].as_array().map(Vec::len), Some(1));
        assert_eq!(value["findings"][0]["rule"], "relative-import");
        assert_eq!(value["findings"][0]["line"], 3);
        assert_eq!(value["allowances"][0]["excused"], 1);
    }

    #[test]
    fn a_sarif_log_names_the_rule_and_the_place_of_each_result() {
        let log = sarif(&report());
        let (run, results) = (&log["runs"][0], &log["runs"][0]["results"]);
        assert_eq!(log["version"], "2.1.0");
        assert_eq!(results.as_array().map(Vec::len), Some(2));
        for result in results.as_array().unwrap() {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        }
        let place = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "torch-ext/a%20b/a.py");
        assert_eq!(place["region"], json!({ "startLine": 3, "startColumn": 1 }));
        assert_eq!(results[0]["suppressions"], Value::Null);
        assert_eq!(results[1]["suppressions"][0]["justification"], "shown to users");
    }
}
