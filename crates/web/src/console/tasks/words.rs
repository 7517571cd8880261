//! The words of tasks and queues.

use crate::texts;
use crate::ui::Counted;

texts! {
    TASK: "Task", "Задача", "Tâche";
    TASKS: "Tasks", "Задачи", "Tâches";
    OPERATION: "Operation", "Операция", "Opération";
    INFO: "Info", "Пометка", "Info";
    QUEUE: "Queue", "Очередь", "File";
    LANE: "Lane", "Полоса", "Voie";
    TARGET: "Target", "Целевой адрес", "Cible";
    CRON: "Repeats", "Повтор", "Répétition";
    STARTS: "Starts", "Начало", "Départ";
    TRIES: "Tries", "Попытки", "Essais";
    LAST_FAILURE: "Last failure", "Последняя ошибка", "Dernier échec";
    PARAMETER: "Parameter", "Параметр", "Paramètre";
    CHECKPOINT: "Checkpoint", "Контрольная точка", "Point de reprise";
    CHECKPOINT_HINT: "Where the last cycle left off.", "Где остановился последний проход.", "Où le dernier cycle s’est arrêté.";
    ATTEMPT: "Attempt", "Номер запуска", "Tentative";
    FAILED_RUNS: "Failed runs", "Неудачные запуски", "Exécutions échouées";
    CREATED: "Created", "Создана", "Créée";
    STARTED: "Started", "Начата", "Démarrée";
    ID: "Id", "Идентификатор", "Identifiant";
    NODE: "Node", "Узел", "Nœud";
    NODE_SEEN: "Node last heard", "Узел отозвался", "Dernier signe du nœud";
    STANDING: "Standing task", "Постоянная задача", "Tâche permanente";

    // States
    ANY_STATE: "All", "Все", "Toutes";
    WAITING: "Waiting", "Ждёт", "En attente";
    BEHIND: "Behind", "Ждёт другую", "Derrière une autre";
    RUNNING: "Running", "Выполняется", "En cours";
    PARKED: "Parked", "Остановлена", "Arrêtée";

    // Queues
    QUEUE_QUICK: "quick", "быстрая", "rapide";
    QUEUE_STANDARD: "standard", "обычная", "standard";
    QUEUE_BACKGROUND: "background", "фоновая", "de fond";
    QUEUE_TELLING: "notifications", "для оповещений", "des notifications";
    QUEUE_OF_OPERATION: "that of the operation", "как у операции", "celle de l’opération";

    // List
    WHOSE: "Whose", "Чьи", "À qui";
    OF_PEOPLE: "Of people and programs", "Людей и программ", "Des personnes et programmes";
    OF_ALL: "With the server’s own", "Вместе с собственными задачами сервера", "Avec celles du serveur";
    OF_SERVER: "Only the server’s own", "Только собственные задачи сервера", "Seulement celles du serveur";
    SERVERS: "server", "сервер", "serveur";
    SERVERS_HINT: "One of the server’s own: it made it and sees to it by itself. It can be deleted only when it is parked.",
        "Собственная задача сервера: он создал её и следит за ней сам. Удалить её можно, только если она остановлена.",
        "Une tâche du serveur lui-même\u{a0}: il l’a créée et s’en occupe. Elle ne peut être supprimée que si elle est arrêtée.";
    SO_MANY_HIDDEN: "Not shown: {count} of the server’s own, which it sees to by itself.", "Не показаны собственные задачи сервера, за которыми он следит сам: {count}.",
        "Non affichées\u{a0}: {count} du serveur lui-même, dont il s’occupe seul.";
    SERVERS_HIDDEN: "The server’s own, which it sees to by itself, are not shown.", "Собственные задачи сервера, за которыми он следит сам, не показаны.",
        "Celles du serveur lui-même, dont il s’occupe seul, ne sont pas affichées.";
    SHOW_SERVERS: "Show them", "Показать их", "Les afficher";
    SERVERS_SHOWN: "The server’s own are shown too.", "Показаны и собственные задачи сервера.", "Celles du serveur lui-même sont affichées aussi.";
    HIDE_SERVERS: "Hide them", "Скрыть их", "Les masquer";
    WHY_STUCK: "Why", "Почему", "Pourquoi";
    ORDER: "Order", "Порядок", "Ordre";
    NEWEST: "Newest first", "Сначала новые", "Récentes d’abord";
    OLDEST: "Oldest first", "Сначала старые", "Anciennes d’abord";
    RETRIES_MIN: "Failed runs, at least", "Неудач не меньше", "Échecs, au moins";
    FROM_UTC: "Starts from (UTC)", "Начало с (UTC)", "Départ du (UTC)";
    TO_UTC: "Starts before (UTC)", "Начало до (UTC)", "Départ avant (UTC)";
    NO_TASKS: "No tasks here", "Задач нет", "Aucune tâche";
    NO_TASKS_HINT: "Tasks are made by services when something is to be done later, and end when it is done. You can create one of your own: it calls a URL of yours, once or again and again.",
        "Задачи создают службы, когда что-то надо сделать позже; сделанная задача исчезает. Можно создать и свою: она вызовет ваш URL, один раз или по расписанию.",
        "Les services créent des tâches pour ce qui se fera plus tard\u{a0}; une tâche faite disparaît. Vous pouvez créer la vôtre\u{a0}: elle appelle une URL à vous, une fois ou régulièrement.";
    NOTHING_FITS: "No task fits", "Ничего не подходит", "Aucune tâche ne correspond";
    NOTHING_FITS_HINT: "Take some filters away. A task that was done is not there any more; the journal knows of those that failed.",
        "Уберите часть условий. Выполненных задач здесь уже нет; о неудавшихся знает журнал.",
        "Retirez des filtres. Une tâche faite n’est plus là\u{a0}; le journal connaît celles qui ont échoué.";
    NOTHING_YET: "Nothing found so far", "Пока ничего не найдено", "Rien trouvé jusqu’ici";
    NOTHING_YET_HINT: "A page looks at a few thousand tasks. Go on to the next page, or filter by operation, info or state, which is quick.",
        "Страница просматривает несколько тысяч задач. Перейдите к следующей или отберите по операции, пометке или состоянию: это быстро.",
        "Une page examine quelques milliers de tâches. Passez à la suivante, ou filtrez par opération, info ou état\u{a0}: c’est rapide.";
    NOT_SEEN: "Namespace {namespace} cannot be looked at right now ({code}).", "Пространство {namespace} сейчас недоступно ({code}).",
        "L’espace {namespace} n’est pas consultable pour le moment ({code}).";

    // Actions
    RUN_AGAIN: "Run again", "Запустить снова", "Relancer";
    RUN_NOW: "Run now", "Запустить сейчас", "Lancer maintenant";
    WILL_RUN: "It starts as soon as a worker is free", "Начнётся, как только освободится исполнитель", "Elle démarre dès qu’un exécutant est libre";
    MOVE: "Move", "Перенести", "Déplacer";
    MOVE_TO: "Move to…", "Перенести…", "Déplacer…";
    MOVE_WHEN: "Not before", "Не раньше", "Pas avant";
    MOVE_HINT: "In the time zone of this browser. A parked task begins anew with all its tries.",
        "По времени этого браузера. Остановленная задача начнёт заново, со всеми попытками.",
        "Dans le fuseau de ce navigateur. Une tâche arrêtée repart à neuf, avec tous ses essais.";
    MOVED: "Moved", "Перенесена", "Déplacée";
    DELETED: "Deleted", "Удалена", "Supprimée";
    DELETE_SURE: "Delete the task “{op}”? What it was to do will not be done.", "Удалить задачу «{op}»? Её работа не будет выполнена.",
        "Supprimer la tâche «\u{a0}{op}\u{a0}»\u{a0}? Son travail ne sera pas fait.";
    DELETE_RUNNING: "Delete the task “{op}” while it runs? What its run wants to write at its end is then refused whole.",
        "Удалить задачу «{op}» во время выполнения? Всё, что этот запуск захочет записать в конце, будет отклонено.",
        "Supprimer la tâche «\u{a0}{op}\u{a0}» en cours\u{a0}? Ce que son exécution voudra écrire à la fin sera refusé en bloc.";
    REPORT_DONE: "It was done", "Она сделана", "Elle est faite";
    REPORT_DONE_TITLE: "Report as done…", "Отметить сделанной…", "Déclarer faite…";
    REPORT_DONE_HINT: "For a target that did the work while its answer got lost. The task then ends as if it had answered. The number is the attempt that the target was told.",
        "Если целевой адрес выполнил работу, а ответ потерялся. Задача завершится так, будто ответ пришёл. Номер — тот запуск, о котором адресату сообщили.",
        "Pour une cible qui a fait le travail mais dont la réponse s’est perdue. La tâche se termine comme si elle avait répondu. Le numéro est celui de la tentative annoncée à la cible.";

    // New task
    NEW_TASK: "New task", "Новая задача", "Nouvelle tâche";
    NEW_OP_HINT: "With a target: any name that tells it what to do. Without one: an operation of this server, for administrators.",
        "С целевым адресом: любое имя, по которому он поймёт, что делать. Без него: операция этого сервера, для администраторов.",
        "Avec une cible\u{a0}: un nom qui lui dit quoi faire. Sans cible\u{a0}: une opération de ce serveur, pour administrateurs.";
    NEW_TARGET_HINT: "A URL of yours, called with POST and signed. 2xx means done, anything else is tried again.",
        "Ваш URL: подписанный POST. 2xx значит «сделано», всё другое повторяется.",
        "Une URL à vous, appelée en POST signé. 2xx veut dire fait, le reste est réessayé.";
    NEW_PARAM_HINT: "JSON, such as {\"region\": \"north\"}", "JSON, например {\"region\": \"north\"}", "JSON, par exemple {\"region\": \"north\"}";
    NEW_INFO_HINT: "Text to find it by", "Текст, по которому её найти", "Texte pour la retrouver";
    NEW_START_HINT: "In the time zone of this browser; empty: at once, or when it next repeats",
        "По времени этого браузера; пусто: сразу или в ближайший срок повтора",
        "Dans le fuseau de ce navigateur\u{a0}; vide\u{a0}: tout de suite, ou à la prochaine répétition";
    NEW_CRON_HINT: "In UTC: H25 every hour at minute 25, D0425 daily at 04:25, W30425 Wednesdays, M100425 on the 10th, Y11100425 on 10 November; or five fields as of cron, such as 30 2 * * 1-5",
        "По UTC: H25 каждый час в 25 минут, D0425 ежедневно в 04:25, W30425 по средам, M100425 10-го числа, Y11100425 10 ноября; или пять полей как в cron, например 30 2 * * 1-5",
        "En UTC\u{a0}: H25 chaque heure à la minute 25, D0425 chaque jour à 04:25, W30425 le mercredi, M100425 le 10 du mois, Y11100425 le 10 novembre\u{a0}; ou cinq champs comme cron, par exemple 30 2 * * 1-5";
    NEW_LANE_HINT: "Tasks of one lane run one at a time, oldest first", "Задачи одной полосы идут по одной, сначала старые",
        "Les tâches d’une voie s’exécutent une à la fois, la plus ancienne d’abord";

    // Why it does not go on
    IS_PARKED: "Parked after {tries}: {why}. It waits for you.", "Остановлена после {tries}: {why}. Ждёт вас.",
        "Arrêtée après {tries}\u{a0}: {why}. Elle vous attend.";
    IS_PARKED_HINT: "Mend the cause, then run it again: it begins anew, with all its tries. Or delete it if it is not needed any more.",
        "Устраните причину и запустите снова: задача начнёт заново, со всеми попытками. Или удалите, если она больше не нужна.",
        "Corrigez la cause, puis relancez-la\u{a0}: elle repart à neuf, avec tous ses essais. Ou supprimez-la si elle ne sert plus.";
    UNKNOWN_WHY: "nothing is known of the reason", "причина неизвестна", "la raison est inconnue";
    IS_SUSPENDED: "Its queue is suspended: it starts nothing until somebody resumes it.", "Её очередь приостановлена: ничего не начнётся, пока её не возобновят.",
        "Sa file est suspendue\u{a0}: rien ne démarre tant que personne ne la reprend.";
    IS_WITHOUT_WORKERS: "Queue {queue} has no workers on this server: nobody starts it.", "У очереди {queue} на этом сервере нет исполнителей: её никто не начнёт.",
        "La file {queue} n’a pas d’exécutant sur ce serveur\u{a0}: personne ne la démarre.";
    WAITS_FOR: "Starts at {at}, {in}.", "Начнётся {at}, {in}.", "Démarre le {at}, {in}.";
    TRIES_AGAIN: "Failed {times}; tried again {in} ({at}).", "Неудач: {times}; следующая попытка {in} ({at}).",
        "{times}\u{a0}; nouvel essai {in} ({at}).";
    IS_DUE: "Was due {since}: it starts as soon as a worker of its queue is free.", "Срок наступил {since}: начнётся, как только освободится исполнитель её очереди.",
        "Prévue {since}\u{a0}: elle démarre dès qu’un exécutant de sa file est libre.";
    IS_BEHIND: "Waits behind an older task of lane “{lane}”. It starts when that one has ended.",
        "Ждёт более старую задачу полосы «{lane}». Начнётся, когда та закончится.",
        "Attend derrière une tâche plus ancienne de la voie «\u{a0}{lane}\u{a0}». Elle démarre quand celle-ci est finie.";
    RUNS: "Runs on node {node}; it began {since} (attempt {attempt}).", "Выполняется на узле {node}; начата {since} (запуск {attempt}).",
        "S’exécute sur le nœud {node}\u{a0}; démarrée {since} (tentative {attempt}).";
    RUNS_HINT: "If the node falls silent, another takes the task over at once. It is taken for lost if nothing is heard of it for another {time}.",
        "Если узел замолчит, задачу сразу возьмёт другой. Она будет считаться потерянной, если о ней не будет вестей ещё {time}.",
        "Si le nœud se tait, un autre la reprend aussitôt. Elle est tenue pour perdue sans nouvelles pendant encore {time}.";
    TO_HEAD: "The task before it", "Задача перед ней", "La tâche devant elle";
    TO_QUEUES: "To the queues", "К очередям", "Vers les files";
    NEXT_RUNS: "Next", "Далее", "Ensuite";
    REPORT: "Report", "Отчёт", "Rapport";
    FACTS: "The task", "Задача", "La tâche";
    CUT: "Only the beginning is shown: {size} in all.", "Показано только начало: всего {size}.", "Seul le début est affiché\u{a0}: {size} au total.";

    // History
    HISTORY: "In the journal", "В журнале", "Dans le journal";
    NO_HISTORY: "The journal has no recent line about it.", "В журнале нет недавних записей о ней.", "Le journal n’a pas de ligne récente à son sujet.";
    ALL_HISTORY: "Search the journal", "Искать в журнале", "Chercher dans le journal";

    // Gone
    GONE: "This task is not there any more", "Этой задачи больше нет", "Cette tâche n’est plus là";
    GONE_HINT: "It was done or deleted; a task that ends well leaves nothing behind. One that repeats goes on under a new id.",
        "Она выполнена или удалена; задача, которая закончилась хорошо, не оставляет следов. Повторяющаяся продолжается под новым идентификатором.",
        "Elle a été faite ou supprimée\u{a0}; une tâche qui finit bien ne laisse rien. Une tâche répétée continue sous un nouvel identifiant.";
    TO_TASKS: "To the tasks", "К задачам", "Vers les tâches";
}

/// How many should have gone on.
pub(super) const STUCK_TASKS: Counted = Counted {
    en: ["{n} task is stuck.", "{n} tasks are stuck."],
    ru: ["{n} задача застряла.", "{n} задачи застряли.", "{n} задач застряло."],
    fr: ["{n} tâche est bloquée.", "{n} tâches sont bloquées."],
};

/// After how many tries.
pub(super) const AFTER_TRIES: Counted = Counted {
    en: ["{n} try", "{n} tries"],
    ru: ["{n} попытки", "{n} попыток", "{n} попыток"],
    fr: ["{n} essai", "{n} essais"],
};

/// How often it failed.
pub(super) const FAILED_TIMES: Counted =
    Counted { en: ["once", "{n} times"], ru: ["{n}", "{n}", "{n}"], fr: ["{n} échec", "{n} échecs"] };
