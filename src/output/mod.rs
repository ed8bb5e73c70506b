//! Writes the ported tree: atomically, with provenance, and never over what somebody else wrote.
