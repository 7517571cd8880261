//! Makes the messages of the stream out of `proto/synxpo.proto`, without any program but this one.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto/synxpo.proto");
    let files = protox::compile(["synxpo.proto"], ["proto"])?;
    let mut config = prost_build::Config::new();
    config.skip_protoc_run();
    config.compile_fds(files)?;
    Ok(())
}
