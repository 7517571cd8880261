//! Words of the overview.

crate::texts! {
    OVERVIEW: "Overview", "Обзор", "Vue d’ensemble";
    STORE_AWAY: "The store of {names} cannot be read now. It is tried again by itself.",
        "Хранилище {names} сейчас недоступно. Сервер сам пробует снова.",
        "Le stockage de {names} est illisible pour le moment. Le serveur réessaie tout seul.";

    // What needs a person
    ATTENTION: "Needs you", "Требует вашего внимания", "Demande votre attention";
    ALL_WELL: "All is well", "Всё в порядке", "Tout va bien";
    ALL_WELL_HINT: "Nothing is stuck, parked or alarming. What fails is tried again by itself; what cannot go on appears here.",
        "Ничего не застряло, не остановлено и не требует внимания. Сбои повторяются сами; что не может идти дальше, появится здесь.",
        "Rien n’est bloqué, arrêté ni alarmant. Les échecs sont retentés\u{a0}; ce qui ne peut continuer apparaît ici.";
    PARKED_TASK: "Parked task", "Остановленная задача", "Tâche arrêtée";
    ALERT: "Alert", "Оповещение", "Alerte";
    WHAT: "What", "Что", "Quoi";
    WHY: "Why", "Почему", "Pourquoi";
    SINCE: "Since", "С каких пор", "Depuis";
    RUN_AGAIN: "Run again", "Запустить снова", "Relancer";
    ACKNOWLEDGE: "Acknowledge", "Подтвердить", "Acquitter";
    STUCK_NOW: "Overdue and not going on by themselves: {count}.", "Просрочено и само не продвигается: {count}.", "En retard et n’avancent pas seuls\u{a0}: {count}.";
    SUSPENDED_NOW: "Tasks waiting because their queue is suspended: {count}.", "Задачи ждут, потому что их очередь приостановлена: {count}.",
        "Tâches en attente, leur file étant suspendue\u{a0}: {count}.";
    CHANNEL: "Alerts may not reach anybody: {reason}", "Оповещения могут никого не достичь: {reason}", "Les alertes n’atteignent peut-être personne\u{a0}: {reason}";
    LOOK: "Look", "Посмотреть", "Voir";
    MORE_PARKED: "Show all parked tasks: {count}", "Показать все остановленные задачи: {count}", "Afficher toutes les tâches arrêtées\u{a0}: {count}";
    MORE_ALERTS: "Show all open alerts: {count}", "Показать все открытые оповещения: {count}", "Afficher toutes les alertes ouvertes\u{a0}: {count}";

    // How much
    DUE: "Waiting now", "Ждут сейчас", "En attente";
    DUE_HINT: "could start now", "могут начаться сейчас", "peuvent démarrer";
    OLDEST: "Oldest waiting", "Дольше всех ждёт", "La plus ancienne";
    NOTHING_WAITS: "nothing waits", "ничего не ждёт", "rien n’attend";
    RUNNING: "Running", "Выполняются", "En cours";
    RUNNING_HINT: "on all nodes", "на всех узлах", "sur tous les nœuds";
    PARKED: "Parked", "Остановлены", "Arrêtées";
    PARKED_HINT: "wait for a person", "ждут человека", "attendent quelqu’un";
    LATER: "Later", "Позже", "Plus tard";
    NEXT_START: "next {time}", "ближайшая {time}", "prochaine {time}";
    ALERTS: "Open alerts", "Открытые оповещения", "Alertes ouvertes";
    ACKNOWLEDGED: "{count} acknowledged", "подтверждено: {count}", "acquittées\u{a0}: {count}";
    STUCK: "Stuck", "Застряло", "Bloqués";
    STUCK_HINT: "overdue", "просрочено", "en retard";

    // How it went
    OPERATIONS: "Operations", "Операции", "Opérations";
    TASKS: "Tasks", "Задачи", "Tâches";
    DONE: "done", "выполнено", "faites";
    ERRORS: "errors", "ошибки", "erreurs";
    SPAN: "Time span", "Промежуток", "Période";
    SPAN_10M: "10 minutes", "10 минут", "10 minutes";
    SPAN_24H: "24 hours", "24 часа", "24 heures";
    SPAN_7D: "7 days", "7 дней", "7 jours";
    RATES: "Rates", "Нагрузка", "Débits";

    // What it runs on
    STORE: "Store and server", "Хранилище и сервер", "Stockage et serveur";
    HEALTH: "Health", "Исправность", "Santé";
    GOOD: "Good", "Исправно", "Bonne";
    READ_ONLY: "Read only", "Только чтение", "Lecture seule";
    DOWN: "Down", "Недоступно", "Hors service";
    ENGINE: "Engine", "Движок", "Moteur";
    DATA: "Data", "Данные", "Données";
    LOG: "with {log} of log", "и {log} журнала", "et {log} de journal";
    FREE: "Free on disk", "Свободно на диске", "Libre sur le disque";
    BLOBS: "Files stored", "Файлов", "Fichiers stockés";
    JOBS: "Waiting for the store", "Ждут хранилища", "Attendent le stockage";
    NODES: "Nodes", "Узлы", "Nœuds";
    UPTIME: "Up for", "Работает", "En service depuis";
    UNKNOWN: "not known", "неизвестно", "inconnu";
    NAMESPACES: "Namespaces", "Пространства", "Espaces";
    FIGURES: "Services", "Службы", "Services";
}
