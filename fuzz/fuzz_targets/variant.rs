//! Any text is read as a name or refused with a place in it; what is accepted prints and re-parses in both notations.
#![no_main]

use kernel_port::variant::resolve::{Directory, choose};
use kernel_port::variant::{Notation, System, Variant, doubts, parse, render};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match parse(text) {
        Err(error) => {
            assert!(text.get(error.span.clone()).is_some(), "{:?} in {text:?}", error.span);
            render::name_error(text, &error);
        }
        Ok(reading) => {
            let variant = &reading.variant;
            let dotted = parse(&variant.dotted()).expect("a printed name is read");
            assert_eq!(&dotted.variant, variant);
            assert_ne!(dotted.notation, Some(Notation::Legacy));
            if let Ok(legacy) = variant.legacy() {
                assert_eq!(&legacy.parse::<Variant>().expect("a printed name is read"), variant);
            }
            doubts(text, &reading);
        }
    }
    // The same text as a system and the names to choose from.
    let (system, names) = text.split_once('\n').unwrap_or((text, ""));
    match system.parse::<System>() {
        Err(error) => assert!(system.get(error.span).is_some()),
        Ok(system) => {
            let names: Vec<String> = names.lines().map(str::to_owned).collect();
            let count = names.len();
            let choice = choose(&system, &[Directory { label: String::new(), names }]);
            assert_eq!(choice.decisions.len(), count);
            render::choice(&choice);
            assert_eq!(system.to_string().parse(), Ok(system));
        }
    }
});
