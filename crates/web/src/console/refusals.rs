//! What a refusal means, in the person's language, beside what the server said in English with the value in it (CON-1). The script asks for
//! all of them with the first refusal that somebody meets; a code without a sentence of its own has that of its letter.

use std::collections::BTreeMap;

use axum::Json;
use axum::http::HeaderMap;
use axum::response::IntoResponse;

use super::page::{Page, PageResult};
use super::preferences::Preferences;
use crate::ui::Text;

pub(super) fn pages() -> Vec<Page> {
    vec![Page::new("/console/_refusals", all).public()]
}

/// What it means of a form is said by the form: which field it is.
const HOLLOW: &str = "ABODY";

async fn all(headers: HeaderMap) -> PageResult {
    let language = Preferences::of(&headers).language;
    let told = MEANINGS.iter().filter(|(code, _)| *code != HOLLOW);
    let meanings: BTreeMap<_, _> = told.map(|(code, text)| (*code, language.say(text))).collect();
    Ok(Json(meanings).into_response())
}

/// The meaning of a code, or else of its letter.
pub(super) fn meaning(code: &str) -> Option<&'static Text> {
    let of = |name: &str| MEANINGS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    of(code).or_else(|| of(code.get(..1)?))
}

macro_rules! meanings {
    ($($name:ident: $en:literal, $ru:literal, $fr:literal;)*) => {
        mod words { crate::texts! { $($name: $en, $ru, $fr;)* } }
        /// By codes and letters.
        const MEANINGS: &[(&str, &Text)] = &[$((stringify!($name), &words::$name)),*];
    };
}

meanings! {
    // Letters
    A: "This cannot be done like this. Change it and send it again.", "Так сделать нельзя. Измените и отправьте снова.",
        "Ce n’est pas possible ainsi. Modifiez et envoyez à nouveau.";
    N: "It is not there, or not there any more.", "Этого нет или уже нет.", "Cela n’existe pas, ou n’existe plus.";
    B: "The server made a mistake; nothing was changed. Its log says more.", "Ошибка на сервере; ничего не изменено. Подробности в его журнале.",
        "Le serveur s’est trompé\u{a0}; rien n’a changé. Son journal en dit plus.";
    X: "The server cannot do this right now. Try again shortly.", "Сервер сейчас не может этого сделать. Повторите чуть позже.",
        "Le serveur ne peut pas le faire pour l’instant. Réessayez bientôt.";
    D: "This page is too old for the server. Load it again.", "Страница слишком старая для сервера. Загрузите её заново.",
        "Cette page est trop ancienne pour le serveur. Rechargez-la.";
    C: "Somebody else changed it at the same time. Look, and try again.", "Это одновременно изменил кто-то другой. Посмотрите и повторите.",
        "Quelqu’un d’autre l’a modifié en même temps. Regardez, puis réessayez.";
    O: "The namespace is not open right now.", "Пространство сейчас не открыто.", "L’espace n’est pas ouvert pour l’instant.";
    S: "You may not do this.", "Вам это не разрешено.", "Vous n’y êtes pas autorisé.";
    T: "It took too long and was not done. Try again, or ask for less.", "Это заняло слишком много времени и не выполнено. Повторите или запросите меньше.",
        "Cela a pris trop de temps et n’a pas été fait. Réessayez, ou demandez moins.";
    // Input
    ABODY: "Something in the form is not as it must be.", "Что-то в форме заполнено неверно.", "Quelque chose dans le formulaire n’est pas correct.";
    ALIMIT: "A value is too large or too small.", "Значение слишком велико или слишком мало.", "Une valeur est trop grande ou trop petite.";
    ATOOBIG: "This is larger than the server takes.", "Это больше, чем принимает сервер.", "C’est plus grand que ce que le serveur accepte.";
    ATYPE: "The server does not take files of this type here.", "Сервер не принимает здесь файлы этого типа.", "Le serveur n’accepte pas ce type de fichier ici.";
    AKEYREUSED: "Something else was sent under the same mark. Load the page again and repeat.",
        "Под той же меткой отправлено другое. Загрузите страницу заново и повторите.", "Autre chose a été envoyé sous la même marque. Rechargez la page et recommencez.";
    // Accounts and keys
    AACCOUNT: "There is an account of this name already.", "Учётная запись с таким именем уже есть.", "Un compte de ce nom existe déjà.";
    ALASTADMIN: "This is the last administrator: without one nobody could let anybody in.", "Это последний администратор: без него некому будет управлять доступом.",
        "C’est le dernier administrateur\u{a0}: sans lui, plus personne ne gérerait les accès.";
    SLOGIN: "Account or password is wrong.", "Неверное имя или пароль.", "Compte ou mot de passe incorrect.";
    SSLOW: "Too many tries to log in. Wait a little, then try again.", "Слишком много попыток входа. Подождите немного и повторите.",
        "Trop d’essais de connexion. Attendez un peu, puis réessayez.";
    SBLOCKED: "This account or device is blocked. An administrator can let it in again.", "Учётная запись или устройство заблокированы. Администратор может снять блокировку.",
        "Ce compte ou cet appareil est bloqué. Un administrateur peut le débloquer.";
    SROLE: "Your role does not allow this. Ask an administrator.", "Ваша роль этого не позволяет. Обратитесь к администратору.",
        "Votre rôle ne le permet pas. Demandez à un administrateur.";
    SKEY: "Your session has ended, or the key is not valid.", "Сеанс завершён, или ключ недействителен.", "Votre session est terminée, ou la clé n’est pas valable.";
    SCSRF: "This page is of another session. Load it again.", "Страница из другого сеанса. Загрузите её заново.", "Cette page est d’une autre session. Rechargez-la.";
    // Namespaces
    ANAMESPACE: "A namespace cannot be made or changed like this.", "Пространство нельзя так создать или изменить.", "Un espace ne peut être créé ou modifié ainsi.";
    NNAMESPACE: "This namespace is gone, or there never was one of this name. A demo removes the namespace that it made when it ends.",
        "Этого пространства уже нет, или с таким именем его не было. Демонстрация, закончившись, удаляет созданное ею пространство.",
        "Cet espace n’existe plus, ou n’a jamais existé sous ce nom. Une démonstration supprime l’espace qu’elle a créé en se terminant.";
    AARCHIVE: "The file is no whole archive of a namespace.", "Файл — не целый архив пространства.", "Le fichier n’est pas une archive complète d’un espace.";
    OCLOSED: "The namespace is closed. Somebody closed it on purpose, or it is being prepared.", "Пространство закрыто: кем-то намеренно или оно готовится.",
        "L’espace est fermé\u{a0}: quelqu’un l’a voulu, ou on le prépare.";
    OREADONLY: "The namespace can only be read right now.", "Сейчас пространство доступно только для чтения.", "L’espace est en lecture seule pour l’instant.";
    OMOVING: "The namespace is moving to its other engine. It takes changes again in a moment.", "Пространство переносится. Через мгновение оно снова примет изменения.",
        "L’espace est en cours de transfert. Il acceptera bientôt des modifications.";
    // Tasks
    ATASK: "The task is not in a state for this any more: it runs, or has ended.", "Задача уже не в том состоянии: она выполняется или завершилась.",
        "La tâche n’est plus dans un état qui le permet\u{a0}: elle s’exécute ou est terminée.";
    NTASK: "There is no such task any more. One that is done leaves no row; the journal may know of it.", "Такой задачи уже нет. Выполненная не остаётся в списке; о ней может знать журнал.",
        "Cette tâche n’existe plus. Une tâche faite ne laisse pas de ligne\u{a0}; le journal en sait peut-être plus.";
    // Documents
    ACLASS: "The class cannot be declared like this.", "Класс нельзя описать так.", "La classe ne peut être déclarée ainsi.";
    AEXISTS: "There is a document of this id already.", "Документ с таким идентификатором уже есть.", "Un document de cet identifiant existe déjà.";
    AITEM: "The class does not allow this content.", "Класс не допускает такого содержимого.", "La classe n’autorise pas ce contenu.";
    ASEARCH: "No index answers this search.", "Ни один индекс не отвечает на такой поиск.", "Aucun index ne répond à cette recherche.";
    CVERSION: "Somebody changed it since this page was made. Look at what is there now, then send it again.",
        "Это изменили, пока страница была открыта. Посмотрите, что там теперь, и отправьте снова.",
        "Cela a été modifié depuis l’ouverture de la page. Regardez ce qu’il y a maintenant, puis envoyez à nouveau.";
    CINDEX: "The index is still being filled. Try again in a while.", "Индекс ещё заполняется. Повторите немного позже.",
        "L’index est encore en cours de remplissage. Réessayez plus tard.";
    // Exchange
    AEXCHANGE: "A name or a value of the exchange cannot be like this.", "Такое имя или значение в обмене недопустимо.", "Nom ou valeur non valable pour l’échange.";
    ATAKEN: "It is registered already.", "Это уже зарегистрировано.", "C’est déjà enregistré.";
    APROCESS: "The process is not in a state for this any more.", "Процесс уже не в том состоянии.", "Le processus n’est plus dans un état qui le permet.";
    // Workflow
    AWORKFLOW: "The process, task or actor cannot be set up like this.", "Так задать процесс, задачу или исполнителя нельзя.",
        "Le processus, la tâche ou l’acteur ne peut être défini ainsi.";
    AFLOW: "The process is not in a state for this any more.", "Процесс уже не в том состоянии.", "Le processus n’est plus dans un état qui le permet.";
    AGRAPH: "Tasks wait for each other, or for what is not there.", "Задачи ждут друг друга или того, чего нет.", "Des tâches s’attendent entre elles, ou attendent ce qui n’existe pas.";
    // Sensors
    ASENSOR: "A sensor or a client cannot be like this.", "Недопустимые данные датчика или клиента.", "Les données du capteur ou du client ne sont pas valables.";
    ACLIENT: "There is a client of this name already.", "Клиент с таким именем уже есть.", "Un client de ce nom existe déjà.";
    // Folders
    AFOLDER: "This change of files is not possible.", "Такое изменение файлов невозможно.", "Cette modification de fichiers n’est pas possible.";
    AQUOTA: "The directory would hold more than it may. Raise its quota, or remove something.", "Директория превысит квоту. Увеличьте квоту или удалите что-нибудь.",
        "Le répertoire dépasserait son quota. Augmentez-le, ou supprimez quelque chose.";
    // Faults
    XBUSY: "The server is busy. Try again in a few seconds.", "Сервер занят. Повторите через несколько секунд.", "Le serveur est occupé. Réessayez dans quelques secondes.";
    XDISK: "The disk of the server is full: only what frees room is done until there is some.", "Диск сервера заполнен: пока места нет, выполняется только то, что его освобождает.",
        "Le disque du serveur est plein\u{a0}: seul ce qui libère de la place est fait d’ici là.";
    XSTORE: "The store cannot be reached right now. The server goes on by itself as soon as it can.", "Хранилище сейчас недоступно. Сервер продолжит сам, как только сможет.",
        "Le stockage est injoignable pour l’instant. Le serveur reprend tout seul dès que possible.";
    XBLOB: "The stored bytes are damaged or missing. Uploading them again heals it.", "Сохранённые байты повреждены или отсутствуют. Повторная загрузка это исправит.",
        "Les octets stockés sont endommagés ou manquants. Les envoyer de nouveau répare cela.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_1_every_refusal_has_a_sentence() {
        for code in ["CVERSION", "NDOC", "XTARGET", "BPANIC", "SROLE", "TBUDGET", "OREMOVING", "DBUILD", "AHEADER"] {
            assert!(meaning(code).is_some(), "{code}");
        }
        assert_eq!(meaning("CVERSION"), Some(&words::CVERSION));
        assert_eq!(meaning("NDOC"), Some(&words::N), "by its letter");
        assert_eq!((meaning(""), meaning("é"), meaning("?")), (None, None, None));
    }
}
