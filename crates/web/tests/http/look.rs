use crate::world::{World, ADMIN};
#[test]
fn save_pages() {
    let world = World::new();
    world.key("main", "app");
    std::fs::create_dir_all("/tmp/look/assets").unwrap();
    std::fs::create_dir_all("/tmp/look/docs").unwrap();
    for (path, file) in [("/", "index.html"), ("/docs", "docs/index.html"), ("/assets/style.css", "assets/style.css"), ("/openapi.json", "openapi.json"), ("/metrics", "metrics.txt")] {
        std::fs::write(format!("/tmp/look/{file}"), world.ask("GET", path, &[], None).body).unwrap();
    }
    world.valve.set(crate::valve::Flow::CutOff);
    std::fs::create_dir_all("/tmp/look/bad").unwrap();
    std::fs::write("/tmp/look/bad/index.html", world.ask("GET", "/", &[], None).body).unwrap();
    let _ = ADMIN;
}
