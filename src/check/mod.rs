//! The final checks on the ported tree, one file a rule.
