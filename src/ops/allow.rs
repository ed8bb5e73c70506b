//! `allow`: accepts a finding of the final checks, with the reason.

use super::{Context, Example, Failure, Group, Op, OpSpec, Plan, Record};
use crate::check;
use crate::recipe::{ArgSpec, ArgType, Args, Glob, NonEmptyText, Text};
use crate::report::nearest;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "allow",
    group: Group::Pins,
    summary: "Accepts a finding of the final checks",
    args: &[
        ArgSpec::required("rule", ArgType::Text, "the rule's id, as the finding names it"),
        ArgSpec::required("in", ArgType::Glob, "the files whose findings are accepted"),
        ArgSpec::required("reason", ArgType::Text, "why, for the next reader"),
    ],
    guarantees: &[
        "nothing changes; the finding is still shown, as accepted and with its reason",
        "one that excuses nothing fails the run: it never outlives what it was for",
    ],
    failures: &["no finding is excused, which is reported at the end of the run"],
    example: Some(Example {
        recipe: r#"allow rule="absolute-import" in="torch-ext/pkg/cli.py" reason="a script that users run""#,
        files: &[("torch-ext/pkg/cli.py", "from pkg import main\n")],
    }),
    build,
};

struct Allow {
    rule: String,
    within: Glob,
    reason: Text,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let rule = args.get::<NonEmptyText>("rule").map(|r| r.0);
    let (within, reason) = (args.get("in"), args.get::<NonEmptyText>("reason"));
    if let Some(unknown) = rule.as_deref().filter(|id| check::find(id).is_none()) {
        let near = nearest::one(unknown, check::RULES.iter().map(|r| r.id));
        let help = near.map_or_else(
            || "`kernel-port explain` lists the rules".to_owned(),
            |n| format!("did you mean {n}?"),
        );
        args.error("rule", format!("there is no rule {unknown}"), help);
    }
    Some(Box::new(Allow { rule: rule?, within: within?, reason: Text(reason?.0) }))
}

impl Op for Allow {
    fn plan(&self, _: &Context<'_>) -> Result<Plan, Failure> {
        Ok(Plan {
            log: format!("{} in {}: {}", self.rule, self.within.as_str(), self.reason.0),
            records: vec![Record::Allow {
                rule: self.rule.clone(),
                within: self.within.clone(),
                reason: self.reason.clone(),
            }],
            ..Plan::default()
        })
    }
}
