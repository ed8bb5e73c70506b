//! For any variant and any text.

use super::*;
use proptest::prelude::*;

fn version() -> impl Strategy<Value = Version> {
    let number = || prop_oneof![0u32..30, 0u32..3000, any::<u32>()];
    (number(), number()).prop_map(|(major, minor)| Version::new(major, minor))
}

fn framework() -> impl Strategy<Value = Framework> {
    let cxx = prop::option::of(prop::sample::select(CxxAbi::ALL.as_slice()));
    prop_oneof![
        (version(), cxx).prop_map(|(version, cxx)| Framework::Torch { version, cxx }),
        version().prop_map(Framework::TorchStableAbi),
        version().prop_map(Framework::TvmFfi),
    ]
}

fn backend() -> impl Strategy<Value = Backend> {
    let plain = prop::sample::select(PLAIN).prop_map(|(name, _)| Backend::plain(name).unwrap());
    let versioned = (0..VERSIONED.len(), version()).prop_map(|(at, version)| VERSIONED[at].at(version));
    prop_oneof![plain, versioned]
}

fn any_variant() -> impl Strategy<Value = Variant> {
    let arch = (
        framework(),
        backend(),
        prop::sample::select(PythonAbi::ALL.as_slice()),
        prop_oneof![Just("x86_64".to_owned()), Just("aarch64".to_owned()), "[A-Za-z0-9_]{1,32}"],
        prop_oneof![Just("linux".to_owned()), Just("darwin".to_owned()), "[A-Za-z0-9_]{1,32}"],
    )
        .prop_map(|(framework, backend, python_abi, platform, os)| {
            let (platform, os) = (Platform::from_name(&platform).unwrap(), Os::from_name(&os).unwrap());
            Variant::Arch(Arch { framework, backend, python_abi, platform, os })
        });
    let names: Vec<_> = NoarchBackend::names().collect();
    let noarch =
        prop::sample::select(names).prop_map(|name| Variant::Noarch(NoarchBackend::from_name(name).unwrap()));
    prop_oneof![9 => arch, 1 => noarch]
}

fn check_accepted(text: &str) -> Result<(), TestCaseError> {
    match parse(text) {
        Ok(reading) => {
            prop_assert_eq!(&variant(&reading.variant.dotted()), &reading.variant);
            if let Ok(legacy) = reading.variant.legacy() {
                prop_assert_eq!(&variant(&legacy), &reading.variant);
            }
            doubts(text, &reading);
        }
        Err(error) => {
            prop_assert!(text.get(error.span.clone()).is_some(), "{} {:?}", text, error.span);
            prop_assert!(!error.to_string().is_empty());
            render::name_error(text, &error);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn printed_and_read_is_the_same(variant in any_variant()) {
        let dotted = parse(&variant.dotted()).unwrap();
        prop_assert_eq!(&dotted.variant, &variant);
        prop_assert!(dotted.notation != Some(Notation::Legacy));
        prop_assert_eq!(variant.to_string().parse::<Variant>().unwrap(), variant.clone());
        let json = serde_json::to_string(&variant).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Variant>(&json).unwrap(), &variant);
        match variant.legacy() {
            Ok(legacy) => {
                let reading = parse(&legacy).unwrap();
                prop_assert_eq!(&reading.variant, &variant);
                prop_assert!(reading.notation != Some(Notation::Dotted));
            }
            // What cannot be said is exactly what would be read as something else.
            Err(error) => prop_assert!(error.to_string().contains("has no legacy name")),
        }
    }

    #[test]
    fn legacy_refuses_only_what_it_cannot_say(variant in any_variant()) {
        if let (Err(_), Variant::Arch(arch)) = (variant.legacy(), &variant) {
            let digits = |v: Version| format!("{}{}", v.major, v.minor);
            let backend = arch.backend.spec().map_or(arch.backend.name(), |spec| spec.legacy);
            let glued = arch.backend.version().map(digits).unwrap_or_default();
            let tag = arch.framework.cxx().map(|t| format!("-{}", t.as_str())).unwrap_or_default();
            let (name, version) = (arch.framework.name(), digits(arch.framework.version()));
            let text = format!("{name}{version}{tag}-{backend}{glued}-{}-{}", arch.platform, arch.os);
            prop_assert_ne!(parse(&text).ok().map(|r| r.variant), Some(variant.clone()), "{}", text);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        check_accepted(&text)?;
    }

    #[test]
    fn anything_like_a_name_is_read_or_refused(
        pieces in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![
                    "torch", "stable", "abi", "abi3", "abi3t", "tvm", "ffi", "ffi01", "torch210", "torch2.10", "cxx11",
                    "cxx98", "cu", "cu128", "cuda", "12.8", "2.10", "rocm714", "cpu", "metal", "x86_64", "linux", "",
                    "abi211", "xpu20253", "universal", "npu", "128", "é",
                ]).prop_map(str::to_owned),
                "[a-z]{0,4}[0-9.]{0,4}",
            ],
            0..10,
        )
    ) {
        check_accepted(&pieces.join("-"))?;
    }

    #[test]
    fn systems_are_read_or_refused(text in "[a-z0-9=.,é]{0,40}") {
        if let Err(error) = text.parse::<System>() {
            prop_assert!(text.get(error.span.clone()).is_some());
        }
    }
}
