//! Words of *Start here*.

use super::Offer;
use crate::ui::Text;

crate::texts! {
    START: "Start here", "С чего начать", "Commencer ici";
    WHAT: "Fastness is one durable server for work in the field: messages, processes, folders, sensors and documents.",
        "Fastness — надёжный сервер для работы на выезде: сообщения, процессы, папки, датчики и документы.",
        "Fastness est un serveur durable pour le travail de terrain\u{a0}: messages, processus, dossiers, capteurs et documents.";
    PROMISE: "What it has acknowledged is never lost, never done twice, and never stuck waiting for somebody to act.",
        "То, что он подтвердил, не теряется, не выполняется дважды и не застревает в ожидании человека.",
        "Ce qu’il a confirmé n’est jamais perdu, jamais fait deux fois, jamais bloqué en attendant quelqu’un.";
    HOW: "Copy a command into a terminal on the server’s machine and watch it here. The first time it asks for the administrator’s password. Each demo makes a namespace of its own and removes it in the end.",
        "Скопируйте команду в терминал на машине сервера и следите за ней здесь. В первый раз она спросит пароль администратора. Каждое демо создаёт собственное пространство и в конце удаляет его.",
        "Copiez une commande dans un terminal de la machine du serveur et suivez-la ici. La première fois, elle demande le mot de passe de l’administrateur. Chaque démo crée son propre espace et le supprime à la fin.";
    CLEAN: "A demo that was killed is removed by its next run, or by:", "Прерванное демо удалит следующий запуск, или:", "Une démo interrompue est supprimée à son prochain lancement, ou par\u{a0}:";
    DEMO: "The demo:", "Демо:", "La démo\u{a0}:";
    OPEN: "Open its pages", "Открыть страницы", "Ouvrir ses pages";
    RUNNING: "Running now", "Идёт сейчас", "En cours";
    KEPT: "Kept", "Оставлено", "Conservée";
    LOOK: "Watch it", "Посмотреть", "Regarder";
    BY_HAND: "The same by hand", "То же вручную", "La même chose à la main";
    GUIDE: "Step by step, with bodies and answers, in Fastness’s documentation:", "По шагам, с телами и ответами, в документации Fastness:",
        "Pas à pas, avec corps et réponses, dans la documentation de Fastness\u{a0}:";
    ALL_CALLS: "All calls, with examples", "Все вызовы с примерами", "Tous les appels, avec exemples";
    EMPTY: "Nothing is here yet.", "Здесь пока пусто.", "Il n’y a encore rien ici.";
    EMPTY_HINT: "See each service at work with one command, or take the first steps by hand.",
        "Посмотрите каждую службу в деле одной командой или сделайте первые шаги вручную.",
        "Voyez chaque service à l’œuvre avec une commande, ou faites les premiers pas à la main.";
}

const fn text(en: &'static str, ru: &'static str, fr: &'static str) -> Text {
    Text { en, ru, fr }
}

pub(super) const EXCHANGE: Offer = Offer {
    word: "exchange",
    page: "/console/{ns}/exchange",
    title: text("Exchange", "Обмен", "Échange"),
    purpose: text(
        "Phones send messages to business databases and get answers; each message is processed exactly once.",
        "Телефоны шлют сообщения в учётные базы и получают ответы; каждое сообщение обрабатывается ровно один раз.",
        "Des téléphones envoient des messages à des bases de gestion et reçoivent des réponses\u{a0}; chaque message est traité exactement une fois.",
    ),
    story: text(
        "a phone sends 40 orders; the ERP that books them is killed at the two worst moments.",
        "телефон шлёт 40 заказов; ERP, которая их проводит, убивают в два худших момента.",
        "un téléphone envoie 40 commandes\u{a0}; l’ERP qui les enregistre est tué aux deux pires moments.",
    ),
    steps: [
        (
            "POST /v1/{ns}/exchange/companies",
            text(
                "Register a company, then its database and a device:",
                "Зарегистрируйте компанию, её базу и устройство:",
                "Déclarez une société, sa base et un appareil\u{a0}:",
            ),
        ),
        (
            "POST /v1/{ns}/exchange/messages",
            text("The device sends a message:", "Устройство шлёт сообщение:", "L’appareil envoie un message\u{a0}:"),
        ),
        (
            "POST /v1/{ns}/exchange/processes",
            text("The database takes what waits:", "База забирает ожидающее:", "La base prend ce qui attend\u{a0}:"),
        ),
    ],
};

pub(super) const WORKFLOW: Offer = Offer {
    word: "workflow",
    page: "/console/{ns}/workflow",
    title: text("Workflow", "Рабочие процессы", "Workflow"),
    purpose: text(
        "Long work of many steps, done by workers that may die, hang or answer twice; each result counts once.",
        "Долгая работа из многих шагов; исполнители могут упасть, зависнуть или ответить дважды, а результат учитывается один раз.",
        "Un long travail en plusieurs étapes, fait par des exécutants qui peuvent mourir, se figer ou répondre deux fois\u{a0}; chaque résultat compte une fois.",
    ),
    story: text(
        "three orders of twelve lines; a worker is killed, others fail, one answers twice.",
        "три заказа по двенадцать строк; одного исполнителя убивают, другие ошибаются, один отвечает дважды.",
        "trois commandes de douze lignes\u{a0}; un exécutant est tué, d’autres échouent, un répond deux fois.",
    ),
    steps: [
        (
            "POST /v1/{ns}/workflow/processes",
            text("Start a process:", "Запустите процесс:", "Lancez un processus\u{a0}:"),
        ),
        (
            "POST /v1/{ns}/workflow/poll",
            text("A worker asks for work:", "Исполнитель просит работу:", "Un exécutant demande du travail\u{a0}:"),
        ),
        (
            "POST /v1/{ns}/workflow/release",
            text("It brings the result:", "Он приносит результат:", "Il apporte le résultat\u{a0}:"),
        ),
    ],
};

pub(super) const FOLDERS: Offer = Offer {
    word: "folders",
    page: "/console/{ns}/folders",
    title: text("Folders", "Папки", "Dossiers"),
    purpose: text(
        "Folders of many machines hold the same; both sides of a conflict are kept, and nothing is replaced without a copy.",
        "Папки на многих машинах одинаковы; при конфликте сохраняются обе стороны, ничто не заменяется без копии.",
        "Les dossiers de plusieurs machines sont identiques\u{a0}; les deux côtés d’un conflit sont gardés, rien n’est remplacé sans copie.",
    ),
    story: text(
        "two folders on this machine, one of them offline, and a file that both change.",
        "две папки на этой машине, одна без связи, и файл, изменённый в обеих.",
        "deux dossiers sur cette machine, l’un hors ligne, et un fichier que les deux modifient.",
    ),
    steps: [
        (
            "fastness folders create Plans ~/plans --namespace {ns}",
            text("On the first machine:", "На первой машине:", "Sur la première machine\u{a0}:"),
        ),
        (
            "fastness folders pull Plans ~/plans --namespace {ns}",
            text("On the others:", "На остальных:", "Sur les autres\u{a0}:"),
        ),
        ("fastness folders run", text("Keep them in step:", "Синхронизируйте их:", "Les garder synchronisés\u{a0}:")),
    ],
};

pub(super) const SENSORS: Offer = Offer {
    word: "sensors",
    page: "/console/{ns}/sensors",
    title: text("Sensors", "Датчики", "Capteurs"),
    purpose: text(
        "Doors say that they open and close; who must know is told by webhook, in order, also after being away.",
        "Двери сообщают, что открыты или закрыты; кому надо, узнают через вебхук, по порядку, даже если их не было на связи.",
        "Des portes disent qu’elles s’ouvrent et se ferment\u{a0}; qui doit le savoir est prévenu par webhook, dans l’ordre, même après une absence.",
    ),
    story: text(
        "a house of twelve doors, a receiver that goes down and comes back, a door that falls silent.",
        "дом с двенадцатью дверями, получатель, который пропадает и возвращается, и замолчавшая дверь.",
        "une maison de douze portes, un destinataire qui tombe et revient, une porte qui se tait.",
    ),
    steps: [
        (
            "PUT /v1/{ns}/sensors/door01",
            text("Register a sensor:", "Зарегистрируйте датчик:", "Déclarez un capteur\u{a0}:"),
        ),
        (
            "POST /v1/{ns}/sensor-clients",
            text(
                "Say who is told, and link them:",
                "Укажите, кого извещать, и свяжите их:",
                "Dites qui est prévenu, et liez-les\u{a0}:",
            ),
        ),
        ("POST /v1/{ns}/signals", text("Send a signal:", "Пошлите сигнал:", "Envoyez un signal\u{a0}:")),
    ],
};

pub(super) const DOCUMENTS: Offer = Offer {
    word: "documents",
    page: "/console/{ns}/documents",
    title: text("Documents", "Документы", "Documents"),
    purpose: text(
        "Records on the server and copies of them on devices that are offline for a week; each is brought level with the least.",
        "Записи на сервере и их копии на устройствах, которые неделю без связи; каждая обновляется минимальным обменом.",
        "Des fiches sur le serveur et leurs copies sur des appareils hors ligne une semaine\u{a0}; chacune est mise à niveau au moindre coût.",
    ),
    story: text(
        "twelve contacts, a phone that is offline, a laptop that is not; what collides is refused and merged.",
        "двенадцать контактов, телефон без связи и ноутбук на связи; конфликтующие правки отклоняются и объединяются.",
        "douze contacts, un téléphone hors ligne, un portable en ligne\u{a0}; ce qui se heurte est refusé puis fusionné.",
    ),
    steps: [
        (
            "POST /v1/{ns}/doc-classes",
            text("Say what documents look like:", "Опишите вид документов:", "Décrivez la forme des documents\u{a0}:"),
        ),
        (
            "POST /v1/{ns}/op/doc.commit",
            text(
                "Change some, all or none:",
                "Измените несколько, всё или ничего:",
                "Modifiez-en, tout ou rien\u{a0}:",
            ),
        ),
        (
            "POST /v1/{ns}/op/doc.sync",
            text("Bring a copy up to date:", "Обновите копию:", "Mettez une copie à jour\u{a0}:"),
        ),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::OFFERS;

    #[test]
    fn con_12_every_offer_has_words_in_every_language() {
        for offer in &OFFERS {
            let texts = [&offer.title, &offer.purpose, &offer.story]
                .into_iter()
                .chain(offer.steps.iter().map(|(_, text)| text));
            texts.for_each(|text| text.check(offer.word));
        }
    }
}
