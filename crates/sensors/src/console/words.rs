//! The words of sensors' pages.

use web::texts;

texts! {
    SENSORS: "Sensors", "Датчики", "Capteurs";
    SENSOR: "Sensor", "Датчик", "Capteur";
    VIEWS: "Views of sensors", "Представления датчиков", "Vues des capteurs";
    MAP: "Map", "Карта", "Carte";
    LIST: "List", "Список", "Liste";
    LOST: "Lost", "Без связи", "Perdus";
    UNKNOWN: "Unknown", "Неизвестные", "Inconnus";
    REJECTED: "Rejected signals", "Отклонённые сигналы", "Signaux rejetés";
    // States
    OPEN: "open", "открыт", "ouvert";
    CLOSED: "closed", "закрыт", "fermé";
    IS_LOST: "lost", "нет связи", "perdu";
    NEVER_HEARD: "never heard", "ещё молчит", "jamais entendu";
    SILENT: "silent", "тишина", "silence";
    // Map
    OPEN_HERE: "Open", "Открыто", "Ouverts";
    CLOSED_HERE: "Closed", "Закрыто", "Fermés";
    HERE: "in this place", "в этом месте", "à cet endroit";
    WAITING: "Waiting notifications", "Ждут отправки", "Notifications en attente";
    WAY: "The way here", "Путь сюда", "Chemin";
    EVERYWHERE: "Everywhere", "Везде", "Partout";
    ID_STARTS: "Id starts with", "Начало идентификатора", "L’identifiant commence par";
    ADDRESS_STARTS: "Address starts with", "Начало адреса", "L’adresse commence par";
    NOTHING_THERE: "No address begins with this", "Таких адресов нет", "Aucune adresse ne commence ainsi";
    NOTHING_THERE_HINT: "Capital letters count. Go back to “Everywhere”, or search in the list.",
        "Регистр важен. Вернитесь к «Везде» или поищите в списке.",
        "Les majuscules comptent. Revenez à «\u{a0}Partout\u{a0}», ou cherchez dans la liste.";
    NO_SENSORS: "No sensor is registered yet", "Датчиков пока нет", "Aucun capteur enregistré";
    NO_SENSORS_SHORT: "Register the first one with the button above.", "Зарегистрируйте первый кнопкой выше.",
        "Enregistrez le premier avec le bouton ci-dessus.";
    NO_SENSORS_HINT: "Register the first one with the button above, or with the API; then let it say something:",
        "Зарегистрируйте первый кнопкой выше или через API, затем отправьте его сигнал:",
        "Enregistrez le premier avec le bouton ci-dessus ou par l’API\u{a0}; puis faites-le parler\u{a0}:";
    NO_SENSORS_TRY: "Or look at doors that are only played:", "Или посмотрите на имитацию дверей:",
        "Ou regardez des portes simulées\u{a0}:";
    RATE: "How much comes in", "Сколько приходит", "Ce qui arrive";
    SIGNALS: "Signals", "Сигналы", "Signaux";
    ACCEPTED: "accepted", "приняты", "acceptés";
    UNKNOWN_OR_REJECTED: "unknown or rejected", "неизвестные и отклонённые", "inconnus ou rejetés";
    NOW: "now", "сейчас", "maintenant";
    // List
    LOST_SENSORS: "Lost sensors", "Датчики без связи", "Capteurs perdus";
    SINCE: "Since", "С какого времени", "Depuis";
    ADDRESS: "Address", "Адрес", "Adresse";
    LAST_HEARD: "Last heard", "Последний сигнал", "Dernier signal";
    CHANGES: "Changes", "Изменения", "Changements";
    NONE_FITS: "No sensor fits", "Ничего не подходит", "Aucun capteur ne correspond";
    NONE_FITS_HINT: "Capital letters count, in ids and in addresses.", "Регистр важен и в идентификаторах, и в адресах.",
        "Les majuscules comptent, dans les identifiants comme dans les adresses.";
    NONE_LOST: "Nobody is lost", "Связь есть со всеми", "Personne n’est perdu";
    NONE_LOST_HINT: "Every sensor was heard within its time of silence.", "Каждый датчик подал сигнал в положенный срок.",
        "Chaque capteur a été entendu dans son délai de silence.";
    NONE_ON_PAGE: "None on this page", "На этой странице ничего", "Aucun sur cette page";
    NONE_ON_PAGE_HINT: "A page looks at a bounded number of sensors; there are more behind it.",
        "Страница просматривает ограниченное число датчиков; дальше есть ещё.",
        "Une page examine un nombre borné de capteurs\u{a0}; il y en a d’autres ensuite.";
    // Registration
    REGISTER_SENSOR: "Register a sensor", "Зарегистрировать датчик", "Enregistrer un capteur";
    REGISTER: "Register", "Зарегистрировать", "Enregistrer un capteur";
    CHANGE: "Change", "Изменить", "Modifier";
    ID: "Id", "Идентификатор", "Identifiant";
    ID_HINT: "1 to 16 Latin letters and digits; capital letters count", "От 1 до 16 латинских букв и цифр; регистр важен",
        "1 à 16 lettres latines et chiffres\u{a0}; les majuscules comptent";
    ADDRESS_HINT: "Parts separated by commas, the widest first: Moscow, Russia, Svobody st. 23 fl 1 room 16",
        "Части через запятую, от общей к частной: Moscow, Russia, Svobody st. 23 fl 1 room 16",
        "Parties séparées par des virgules, la plus large d’abord\u{a0}: Moscow, Russia, Svobody st. 23 fl 1 room 16";
    SILENCE_S: "Silence allowed, in seconds", "Допустимое молчание, секунд", "Silence permis, en secondes";
    SILENCE_HINT: "Longer than this without a signal, and it is lost: {least} to {most}",
        "Дольше этого без сигнала — связи нет: от {least} до {most}",
        "Au-delà sans signal, il est perdu\u{a0}: de {least} à {most}";
    // A sensor
    OVER_TIME: "Open and closed over time", "Открыт и закрыт во времени", "Ouvert et fermé dans le temps";
    SPAN: "How far back", "Период", "Période";
    SPAN_1H: "1 hour", "1 час", "1 heure";
    SPAN_24H: "24 hours", "24 часа", "24 heures";
    SPAN_7D: "7 days", "7 дней", "7 jours";
    SPAN_30D: "30 days", "30 дней", "30 jours";
    SAID_LAST: "Said last", "Последнее сообщение", "Dernier état dit";
    NOTHING_SAID: "nothing", "ничего", "rien";
    CONTACT: "Contact", "Связь", "Contact";
    CONTACT_GOOD: "good", "есть", "bon";
    CONTACT_LOST: "lost", "потеряна", "perdu";
    CONTACT_NEVER: "no signal so far", "сигналов ещё не было", "aucun signal pour l’instant";
    SILENCE: "Silence", "Молчание", "Silence";
    LOST_AFTER: "lost after {time} without a signal", "связь считается потерянной через {time} без сигнала",
        "perdu après {time} sans signal";
    LOST_BANNER: "This sensor is lost: nothing was heard of it for longer than it may be silent. Contact was lost",
        "С датчиком нет связи: он молчит дольше, чем положено. Связь пропала",
        "Ce capteur est perdu\u{a0}: il se tait depuis plus longtemps que permis. Contact perdu";
    REGISTERED: "Registered", "Зарегистрирован", "Enregistré";
    SAY_OPEN: "Signal: open", "Сигнал: открыт", "Signal\u{a0}: ouvert";
    SAY_CLOSED: "Signal: closed", "Сигнал: закрыт", "Signal\u{a0}: fermé";
    DELETE_SENSOR_SURE: "Delete sensor {id} with its links? Its signals will count as unknown.",
        "Удалить датчик {id} вместе со связями? Его сигналы станут неизвестными.",
        "Supprimer le capteur {id} et ses liens\u{a0}? Ses signaux compteront comme inconnus.";
    NO_SUCH_SENSOR: "No such sensor is registered", "Такой датчик не зарегистрирован", "Ce capteur n’est pas enregistré";
    NO_SUCH_SENSOR_HINT: "It was never registered, or somebody deleted it. What it said is kept for its time.",
        "Его не регистрировали или уже удалили. Сказанное им хранится положенное время.",
        "Il n’a jamais été enregistré, ou quelqu’un l’a supprimé. Ce qu’il a dit est gardé son temps.";
    HISTORY: "What it said", "Что он сообщал", "Ce qu’il a dit";
    AT: "At", "Когда", "Quand";
    SAID: "Said", "Сообщил", "A dit";
    BEFORE: "Before", "До этого", "Avant";
    TAKEN_IN: "Taken in", "Принято", "Reçu";
    NO_HISTORY: "Nothing in this time", "За это время ничего", "Rien pendant cette période";
    NO_HISTORY_HINT: "Changes of its state appear here. Choose a longer time above.",
        "Здесь появятся изменения его состояния. Выберите период подлиннее.",
        "Ses changements d’état apparaissent ici. Choisissez une période plus longue.";
    HISTORY_CUT: "The newest {shown} of {n}.", "Новейшие {shown} из {n}.", "Les {shown} plus récents sur {n}.";
    AS_CSV: "Download as CSV", "Скачать в CSV", "Télécharger en CSV";
    HISTORY_AWAY: "The archive of history does not answer right now; nothing is lost.",
        "Архив истории сейчас не отвечает; ничего не потеряно.",
        "L’archive de l’historique ne répond pas pour l’instant\u{a0}; rien n’est perdu.";
    // Links
    LINKED: "Linked", "Связан", "Lié";
    LINKED_CLIENTS: "Who is told", "Кого уведомляем", "Qui est prévenu";
    LINKED_SENSORS: "Sensors it is told about", "О каких датчиках уведомляем", "Capteurs suivis";
    LINK: "Link", "Связать", "Lier";
    LINK_CLIENT: "Link a client", "Связать клиента", "Lier un client";
    LINK_SENSOR: "Link a sensor", "Связать датчик", "Lier un capteur";
    UNLINK: "Unlink", "Отвязать", "Délier";
    UNLINK_SURE: "{client} is told nothing of {sensor} any more, not even what waits now. Unlink?",
        "{client} больше не узнает о {sensor}, даже о том, что ждёт отправки. Отвязать?",
        "{client} ne saura plus rien de {sensor}, pas même ce qui attend. Délier\u{a0}?";
    CLIENT_ID_HINT: "Id of the client, from its page", "Идентификатор клиента с его страницы", "Identifiant du client, sur sa page";
    NOBODY_TOLD: "Nobody is told of this sensor", "Об этом датчике никого не уведомляем", "Personne n’est prévenu pour ce capteur";
    NOBODY_TOLD_HINT: "Link a client, and its URL is called from the next change on.",
        "Свяжите клиента, и его URL будет вызываться со следующего изменения.",
        "Liez un client, et son URL est appelée dès le prochain changement.";
    NO_LINKED: "No sensor is linked", "Датчики не связаны", "Aucun capteur lié";
    NO_LINKED_HINT: "Link one here, or on the sensor's page.", "Свяжите датчик здесь или на его странице.",
        "Liez-en un ici, ou sur la page du capteur.";
    // Unknown
    UNKNOWN_SENSORS: "Unknown sensors", "Неизвестные датчики", "Capteurs inconnus";
    UNKNOWN_LEAD: "They send signals, but nobody registered them. Give one an address, and from its next signal on it counts.",
        "Они шлют сигналы, но не зарегистрированы. Укажите адрес, и датчик начнёт учитываться со следующего сигнала.",
        "Ils envoient des signaux, mais personne ne les a enregistrés. Donnez une adresse, et le prochain signal compte.";
    SAYS: "Says", "Сообщает", "Dit";
    FIRST_HEARD: "First heard", "Первый сигнал", "Premier signal";
    NO_UNKNOWN: "No unknown sensor", "Неизвестных датчиков нет", "Aucun capteur inconnu";
    NO_UNKNOWN_HINT: "Whoever sends signals without being registered appears here.",
        "Здесь появится тот, кто шлёт сигналы без регистрации.",
        "Quiconque envoie des signaux sans être enregistré apparaît ici.";
    // Rejected
    REJECTED_SIGNALS: "Rejected signals", "Отклонённые сигналы", "Signaux rejetés";
    REJECTED_LEAD: "What came in as a signal and is none, with the reason. The last 10,000 are kept; nothing waits for them.",
        "Что пришло как сигнал, но им не является, и почему. Хранятся последние 10\u{a0}000; они никого не задерживают.",
        "Ce qui est arrivé comme signal sans en être un, et pourquoi. Les 10\u{a0}000 derniers sont gardés\u{a0}; rien ne les attend.";
    SOURCE: "From", "Откуда", "De";
    REASON: "Reason", "Причина", "Raison";
    WHAT_CAME: "What came", "Что пришло", "Reçu tel quel";
    NO_REJECTED: "Nothing was rejected", "Ничего не отклонено", "Rien n’a été rejeté";
    NO_REJECTED_HINT: "Signals with a wrong id, wrong data or a time that is none would be listed here.",
        "Здесь были бы сигналы с неверным идентификатором, данными или временем.",
        "Les signaux d’identifiant, de données ou d’heure faux seraient listés ici.";
    // Clients
    CLIENTS: "Sensor clients", "Клиенты датчиков", "Clients des capteurs";
    CLIENT: "Client", "Клиент", "Client";
    CLIENTS_LEAD: "Whoever is told when a door opens or closes, or a sensor falls silent: one URL each.",
        "Кого уведомляем, когда дверь открылась или закрылась или датчик замолчал: у каждого один URL.",
        "Ceux qu’on prévient quand une porte s’ouvre ou se ferme, ou qu’un capteur se tait\u{a0}: une URL chacun.";
    ACTIVE: "active", "активен", "actif";
    FAILING: "failing", "не отвечает", "en échec";
    DISABLED: "disabled", "отключён", "désactivé";
    SENT_SO_FAR: "Sent so far", "Отправлено всего", "Envoyées au total";
    ERRORS_SO_FAR: "Failed so far", "Не удалось всего", "Échouées au total";
    NEW_CLIENT: "New client", "Новый клиент", "Nouveau client";
    URL_HINT: "http or https; what happens is posted there", "http или https; туда отправляются события",
        "http ou https\u{a0}; ce qui se passe y est envoyé";
    GROUP_LOST: "Lost ones together", "Потерянные вместе", "Pertes groupées";
    GROUP_LOST_HINT: "From so many lost at once on they are told in one notification; 0: never",
        "Если сразу потеряно столько датчиков, придёт одно уведомление; 0 — никогда",
        "À partir de tant de pertes à la fois, une seule notification\u{a0}; 0\u{a0}: jamais";
    SECRET_ONCE: "The secret, shown only now: the receiver checks our signatures with it",
        "Секрет, показывается только сейчас: им получатель проверяет наши подписи",
        "Le secret, affiché une seule fois\u{a0}: le récepteur vérifie nos signatures avec lui";
    NO_CLIENTS: "No client yet", "Клиентов пока нет", "Aucun client";
    NO_CLIENTS_HINT: "Create one with the URL that is to be called, then link sensors to it.",
        "Создайте клиента с URL для вызова и свяжите с ним датчики.",
        "Créez-en un avec l’URL à appeler, puis liez-lui des capteurs.";
    NO_SUCH_CLIENT: "There is no such client", "Такого клиента нет", "Ce client n’existe pas";
    NO_SUCH_CLIENT_HINT: "It was never there, or somebody deleted it.", "Его не было, или его удалили.",
        "Il n’a jamais existé, ou quelqu’un l’a supprimé.";
    FAILING_BANNER: "This client is failing: its last notification was tried until all tries were used up. New ones are still tried.",
        "Клиент не отвечает: последнее уведомление исчерпало все попытки. Новые по-прежнему отправляются.",
        "Ce client est en échec\u{a0}: sa dernière notification a épuisé ses essais. Les nouvelles sont encore tentées.";
    DISABLED_BANNER: "This client is disabled: it is told nothing. What happens meanwhile is kept and can be fetched.",
        "Клиент отключён: уведомления не отправляются. Происходящее сохраняется, его можно получить позже.",
        "Ce client est désactivé\u{a0}: rien ne lui est dit. Ce qui se passe est gardé et peut être relu.";
    LAST_NUMBER: "Number of its last event", "Номер последнего события", "Numéro du dernier événement";
    ONE_BY_ONE: "told one by one", "по одному", "une par une";
    TOGETHER_FROM: "together from {n} on", "вместе, начиная с {n}", "ensemble à partir de {n}";
    SECRET: "Secret", "Секрет", "Secret";
    ONE_SECRET: "one; never shown again", "один; больше не показывается", "un seul\u{a0}; n’est plus affiché";
    TWO_SECRETS: "two: the old one still signs, for a day", "два: старый ещё подписывает в течение суток",
        "deux\u{a0}: l’ancien signe encore, pendant un jour";
    DISABLE: "Disable", "Отключить", "Désactiver";
    DISABLE_SURE: "It is told nothing until it is enabled again. Disable?",
        "До включения уведомления отправляться не будут. Отключить?",
        "Rien ne lui sera dit jusqu’à sa réactivation. Désactiver\u{a0}?";
    ENABLE: "Enable", "Включить", "Réactiver";
    ROTATE: "New secret", "Новый секрет", "Nouveau secret";
    ROTATE_SURE: "The old secret still signs beside the new one for a day, so that the receiver can change over. Make a new one?",
        "Старый секрет ещё сутки подписывает вместе с новым, чтобы получатель успел перейти. Создать новый?",
        "L’ancien secret signe encore un jour avec le nouveau, le temps de changer. En créer un\u{a0}?";
    DELETE_CLIENT_SURE: "Delete {name} with its links and all its notifications? This cannot be taken back.",
        "Удалить {name} со связями и всеми уведомлениями? Отменить это нельзя.",
        "Supprimer {name}, ses liens et toutes ses notifications\u{a0}? C’est irrévocable.";
    // Notifications
    NOTIFICATIONS: "Notifications", "Уведомления", "Notifications";
    WHAT: "What", "Что", "Quoi";
    HAPPENED: "Happened", "Произошло", "Survenu";
    HOW_IT_ENDED: "How it ended", "Чем кончилось", "Issue";
    TRIES: "Tries", "Попытки", "Essais";
    SEVERAL: "several", "несколько", "plusieurs";
    TOLD_OPENED: "opened", "открытие", "ouverture";
    TOLD_CLOSED: "closed", "закрытие", "fermeture";
    TOLD_LOST: "lost", "потеря связи", "perte";
    TOLD_RESTORED: "restored", "связь восстановлена", "retour";
    SENT: "sent", "отправлено", "envoyée";
    FAILED: "failed", "не удалось", "échouée";
    SUPERSEDED: "superseded", "заменено", "remplacée";
    UNLINKED: "unlinked", "отвязано", "déliée";
    NOT_TOLD: "not told: disabled", "не отправлено: отключён", "non dite\u{a0}: désactivé";
    WAITS: "waits", "ждёт", "en attente";
    BY_NEWER: "by no. {n}", "уведомлением №\u{a0}{n}", "par le n°\u{a0}{n}";
    EARLIER_TRIES: "earlier tries: {n}", "прежние попытки: {n}", "essais précédents\u{a0}: {n}";
    UNDER_WAY: "under way", "идёт", "en cours";
    NOTHING_TOLD: "Nothing was to be told yet", "Сообщать было нечего", "Rien à dire pour l’instant";
    NOTHING_TOLD_HINT: "With the next change of a linked sensor a notification appears here, with each try to send it.",
        "При следующем изменении связанного датчика здесь появится уведомление с каждой попыткой отправки.",
        "Au prochain changement d’un capteur lié, une notification apparaît ici, avec chaque essai d’envoi.";
    // Replay
    REPLAY: "Send again", "Отправить снова", "Renvoyer";
    REPLAY_HINT: "Events of this time are sent again in their order, under their own ids; a receiver knows them by those",
        "События этого времени отправятся снова по порядку, под своими номерами; по ним получатель их узнает",
        "Les événements de cette période sont renvoyés dans l’ordre, sous leurs identifiants\u{a0}; le récepteur les reconnaît";
    REPLAY_RUNNING: "under way", "идёт", "en cours";
    REPLAY_DONE: "done", "готово", "terminé";
    REPLAY_FAILED: "failed", "не удалось", "échoué";
    REPLAY_COUNTS: "{sent} sent, {left} left out", "отправлено {sent}, пропущено {left}", "{sent} envoyés, {left} omis";
    // Imports
    IMPORTS: "Imports", "Импорт", "Imports";
    IMPORTS_LEAD: "Sensors or links by the hundred thousand. The file is safe as soon as it is taken; a task works through it, also after a restart.",
        "Датчики и связи сотнями тысяч. Файл сохранён, как только принят; задача обработает его и после перезапуска.",
        "Capteurs ou liens par centaines de milliers. Le fichier est à l’abri dès qu’il est reçu\u{a0}; une tâche le traite, même après un redémarrage.";
    IMPORT_SENSORS: "Import sensors", "Импорт датчиков", "Importer des capteurs";
    IMPORT_LINKS: "Import links", "Импорт связей", "Importer des liens";
    IMPORT_SENSORS_HINT: "CSV whose first line is id,address,silence_s", "CSV, первая строка: id,address,silence_s",
        "CSV dont la première ligne est id,address,silence_s";
    IMPORT_LINKS_HINT: "CSV whose first line is sensor_id,client; client is an id or a name",
        "CSV, первая строка: sensor_id,client; клиент — идентификатор или имя",
        "CSV dont la première ligne est sensor_id,client\u{a0}; client est un identifiant ou un nom";
    FILE: "File", "Файл", "Fichier";
    PROGRESS: "Progress", "Ход", "Avancement";
    OF_SENSORS: "sensors", "датчики", "capteurs";
    OF_LINKS: "links", "связи", "liens";
    RUNNING: "running", "идёт", "en cours";
    DONE: "done", "готово", "terminé";
    CANCELLED: "ended", "прервано", "interrompu";
    LINES: "{n} lines", "строк: {n}", "lignes\u{a0}: {n}";
    CREATED: "New", "Новые", "Nouveaux";
    CHANGED: "Changed", "Изменены", "Modifiés";
    UNCHANGED: "As before", "Без изменений", "Inchangés";
    REJECTED_LINES: "Rejected lines", "Отклонённые строки", "Lignes rejetées";
    REJECTED_LINES_HINT: "The first hundred; everything else of the file was done.",
        "Первая сотня; остальное из файла выполнено.", "Les cent premières\u{a0}; le reste du fichier est fait.";
    LINE: "Line", "Строка", "Ligne";
    BEGUN: "Begun", "Начат", "Commencé";
    END: "End", "Прервать", "Interrompre";
    END_SURE: "What its lines did stays done. End this import?", "Выполненное останется. Прервать импорт?",
        "Ce qui est fait reste fait. Interrompre cet import\u{a0}?";
    NO_IMPORTS: "Nothing was imported yet", "Импорта ещё не было", "Aucun import";
    NO_IMPORTS_HINT: "Choose a file with the buttons above, or with the command line:",
        "Выберите файл кнопками выше или используйте командную строку:",
        "Choisissez un fichier avec les boutons ci-dessus, ou en ligne de commande\u{a0}:";
}
