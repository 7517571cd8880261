//! Login (CON-1).

use axum::extract::State;
use axum::http::HeaderMap;
use maud::{Markup, Render, html};
use serde::Deserialize;

use super::frame::preferences;
use super::page::{Page, PageResult};
use super::preferences::{Preferences, back};
use crate::app::Shared;
use crate::params::QueryOf;
use crate::ui::form::link;
use crate::ui::{self, Field, Form, Head, Kind, Tone};

pub(super) mod words {
    crate::texts! {
        LOG_IN: "Log in", "Войти", "Se connecter";
        LOG_OUT: "Log out", "Выйти", "Se déconnecter";
        ACCOUNT: "Account", "Учётная запись", "Compte";
        PASSWORD: "Password", "Пароль", "Mot de passe";
        NAMESPACE_HINT: "The account’s own; “{admins}” is that of the administrators", "То, в котором создана учётная запись; «{admins}» — пространство администраторов",
            "Celui du compte\u{a0}; «\u{a0}{admins}\u{a0}» est celui des administrateurs";
        // Whether there is such an account is not told. That there is no such namespace is (`NNAMESPACE`): `/readyz` names them to everybody.
        REFUSED: "Account or password is wrong, or the account is of another namespace than “{namespace}”.",
            "Неверное имя или пароль, либо учётная запись из другого пространства, не из «{namespace}».",
            "Compte ou mot de passe incorrect, ou compte d’un autre espace que «\u{a0}{namespace}\u{a0}».";
        WELCOME: "Welcome", "Добро пожаловать", "Bienvenue";
        ENDED: "Your session has ended. Log in again to go on where you were.",
            "Сеанс завершён. Войдите снова, чтобы продолжить с того же места.",
            "Votre session est terminée. Reconnectez-vous pour reprendre où vous étiez.";
        FORGOTTEN: "Password forgotten? On the server’s machine: fastness admin reset-password",
            "Забыли пароль? На машине сервера: fastness admin reset-password",
            "Mot de passe oublié\u{a0}? Sur la machine du serveur\u{a0}: fastness admin reset-password";
    }
}

pub(super) fn pages() -> Vec<Page> {
    vec![Page::new("/console/_login", login).public()]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    next: Option<String>,
    /// Whether a session ended meanwhile.
    ended: Option<String>,
}

async fn login(State(shared): State<Shared>, headers: HeaderMap, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let preferences = Preferences::of(&headers);
    let language = preferences.language;
    let head = Head {
        title: language.say(&words::LOG_IN),
        server: &shared.config().name,
        language,
        theme: preferences.theme,
        refresh_s: None,
        script: true,
        csrf: None,
        live: None,
    };
    Ok(ui::page(head.around(&body(&shared, preferences, &asked)).into()))
}

fn body(shared: &Shared, wanted: Preferences, asked: &Asked) -> Markup {
    let language = wanted.language;
    let next = back(asked.next.as_deref());
    let here = link("/console/_login", &[("next", asked.next.as_deref())]);
    html! {
        body.front {
            main #content {
                div.front-brand { (super::frame::icon("M2 1h3v2h2V1h2v2h2V1h3v5l-2 2v7h-3v-4H7v4H4V8L2 6z")) b { (shared.config().name) } }
                h1 { (language.say(&words::WELCOME)) }
                @if asked.ended.is_some() { p.hint { (language.say(&words::ENDED)) } }
                (form(shared, wanted, next).render())
                noscript { p.banner.warn { (language.say(&super::words::NEEDS_SCRIPT)) } }
                p.hint.small { (language.say(&words::FORGOTTEN)) }
                ul.front-foot { (preferences(language, wanted.theme, &here)) }
            }
            (super::frame::toasts(language))
        }
    }
}

fn form(shared: &Shared, wanted: Preferences, next: &str) -> Form {
    let language = wanted.language;
    let admins = &shared.kernel().config().admin_namespace;
    Form::new("POST", "/v1/{namespace}/sessions", language.say(&words::LOG_IN))
        .tone(Tone::Good)
        .field(Field::new("account", language.say(&words::ACCOUNT), Kind::Text).required().autocomplete("username"))
        .field(
            Field::new("password", language.say(&words::PASSWORD), Kind::Password)
                .required()
                .autocomplete("current-password"),
        )
        .field(
            Field::new("namespace", language.say(&super::words::NAMESPACE), Kind::Text)
                .required()
                .in_path()
                .value(admins.clone())
                .hint(language.fill(&words::NAMESPACE_HINT, &[("admins", admins)])),
        )
        .instead("SLOGIN", language.say(&words::REFUSED))
        .go(link("/console/_enter?namespace={namespace}", &[]) + &format!("&next={}", ui::form::encoded(next)))
        .go_if("must_change", "/console/{namespace}/account?first=yes")
}
