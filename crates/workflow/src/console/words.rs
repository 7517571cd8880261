//! The words of these pages.

use web::ui::Counted;

web::texts! {
    WORKFLOW: "Workflow", "Рабочие процессы", "Workflow";
    VIEWS: "Views of the workflow", "Разделы процессов", "Vues du workflow";
    OVERVIEW: "Overview", "Обзор", "Vue d’ensemble";
    LOOK: "Look at it", "Посмотреть", "Voir";
    FIRST_N: "Only the first {n} are shown.", "Показаны только первые {n}.", "Seuls les {n} premiers sont affichés.";
    AND_N_MORE: "and {n} more", "и ещё {n}", "et {n} de plus";
    ONLY_BEGINNING: "Only the beginning is shown; the API gives the whole.", "Показано только начало; целиком — через API.",
        "Seul le début est affiché\u{a0}; l’API donne le tout.";
    IN_MS: "{what}, ms", "{what}, мс", "{what}, ms";
    // Overview
    ALL_WELL: "All is well.", "Всё в порядке.", "Tout va bien.";
    ALL_WELL_HINT: "Nothing is broken, and for everything that waits somebody comes.",
        "Сбоев нет, у всей ожидающей работы есть исполнители.",
        "Rien n’est en panne, et quelqu’un vient chercher tout ce qui attend.";
    BROKEN_BANNER: "Broken processes: {n}. A task of each failed for good; nothing goes on until somebody decides.",
        "Сломанных процессов: {n}. Задача каждого окончательно не удалась; дальше решает человек.",
        "Processus en panne\u{a0}: {n}. Une tâche de chacun a échoué pour de bon\u{a0}; quelqu’un doit décider.";
    ALONE_BANNER: "Work waits and nobody comes for it:", "Есть работа, за которой не приходит ни один исполнитель:",
        "Du travail attend et personne ne vient le chercher\u{a0}:";
    BEGIN_HINT: "A process begins when a program starts one; workers then ask for its tasks. Start the first one:",
        "Процесс начинается, когда его запускает программа; исполнители забирают его задачи. Запустите первый:",
        "Un processus commence quand un programme le démarre\u{a0}; des exécutants demandent ses tâches. Démarrez le premier\u{a0}:";
    ACTIVE_PROCESSES: "Under way", "В работе", "En cours";
    BROKEN_PROCESSES: "Broken", "Сломаны", "En panne";
    FINISHED_DAY: "Finished in 24 h", "Завершено за 24 ч", "Terminés en 24\u{a0}h";
    WAITING_TASKS: "Tasks that wait", "Ждущие задачи", "Tâches en attente";
    OLDEST_N: "oldest {time}", "старейшая {time}", "la plus ancienne {time}";
    RUNNING_JOBS: "Jobs under way", "Задания в работе", "Travaux en cours";
    JOBS_UNDER_WAY: "Jobs under way", "Задания в работе", "Travaux en cours";
    RATES: "The last ten minutes", "Последние десять минут", "Les dix dernières minutes";
    ERRORS: "errors", "ошибки", "erreurs";
    // Processes
    PROCESSES: "Processes", "Процессы", "Processus";
    WORKFLOW_PROCESSES: "Processes of the workflow", "Рабочие процессы", "Processus du workflow";
    START_PROCESS: "Start a process", "Запустить процесс", "Démarrer un processus";
    START: "Start", "Запустить", "Démarrer";
    START_KEY: "Key", "Ключ", "Clé";
    START_KEY_HINT: "At most one process of the type is started with it; empty: none", "С ним запускается не более одного процесса этого типа; пусто — без ключа",
        "Un seul processus du type est démarré avec elle\u{a0}; vide\u{a0}: aucune";
    PROCESS: "Process", "Процесс", "Processus";
    PROCESS_ID: "Id of the process", "Идентификатор процесса", "Identifiant du processus";
    ACTIVE: "active", "в работе", "en cours";
    FINISHED: "finished", "завершён", "terminé";
    BROKEN: "broken", "сломан", "en panne";
    ABORTED: "aborted", "прерван", "interrompu";
    TYPE: "Type", "Тип", "Type";
    CUSTOM_ID: "Own id", "Свой идентификатор", "Identifiant propre";
    STARTER: "Began with", "Начат с", "Commencé par";
    STARTED: "Started", "Начат", "Démarré";
    LASTS: "Duration", "Длительность", "Durée";
    ENDED: "ended", "окончен", "terminé";
    ENDED_AT: "Ended", "Окончено", "Terminé";
    UNCHANGED: "State since", "В состоянии", "État depuis";
    PARENT: "Waited for by", "Его ждёт", "Attendu par";
    NO_PROCESS: "No process yet", "Процессов пока нет", "Aucun processus";
    NO_PROCESS_HINT: "A process begins when a program starts one. The overview shows how.",
        "Процесс начинается, когда его запускает программа. Как — показано в обзоре.",
        "Un processus commence quand un programme le démarre. La vue d’ensemble montre comment.";
    NONE_FOUND: "Nothing found", "Ничего не найдено", "Rien trouvé";
    NONE_FOUND_HINT: "Look for something else, or for less.", "Измените или упростите поиск.", "Cherchez autre chose, ou moins.";
    NONE_SO_FAR: "Nothing found so far", "Пока ничего не найдено", "Rien trouvé jusqu’ici";
    NONE_SO_FAR_HINT: "A page looks at a bounded number of processes. There are more: look further.",
        "Страница просматривает ограниченное число процессов. Есть ещё: ищите дальше.",
        "Une page examine un nombre limité de processus. Il y en a d’autres\u{a0}: cherchez plus loin.";
    LOOK_FURTHER: "Look further", "Искать дальше", "Chercher plus loin";
    NO_SUCH_PROCESS: "There is no such process", "Такого процесса нет", "Ce processus n’existe pas";
    NO_SUCH_PROCESS_HINT: "It was never started here, or it ended and was not to be kept any longer.",
        "Его здесь не запускали, или он завершён и срок его хранения истёк.",
        "Il n’a jamais été démarré ici, ou il est terminé et n’est plus conservé.";
    // Search
    SEARCH_PROCESSES: "Search for processes", "Поиск процессов", "Recherche de processus";
    MORE_FIELDS: "More to search by", "Другие условия", "Autres critères";
    SEARCH_HINT: "Moments are UTC. Durations are written as 90s, 5m, 2h or 3d. All that is said must hold.",
        "Время — UTC. Длительности пишутся как 90s, 5m, 2h или 3d. Должны выполняться все условия.",
        "Les moments sont en UTC. Les durées s’écrivent 90s, 5m, 2h ou 3d. Tout ce qui est dit doit être vrai.";
    ERROR_CLASS: "Error class", "Класс ошибки", "Classe d’erreur";
    ERROR_TEXT: "Text of the error", "Текст ошибки", "Texte de l’erreur";
    ARGUMENT: "Argument", "Аргумент", "Argument";
    STARTED_FROM: "Started from", "Начат с момента", "Démarré dès";
    STARTED_TO: "Started before", "Начат до", "Démarré avant";
    ENDED_FROM: "Ended from", "Окончен с момента", "Terminé dès";
    ENDED_TO: "Ended before", "Окончен до", "Terminé avant";
    DURATION_MIN: "Took at least", "Длился не меньше", "A duré au moins";
    DURATION_MAX: "Took at most", "Длился не больше", "A duré au plus";
    UNCHANGED_MIN: "In its state at least", "В состоянии не меньше", "Dans son état au moins";
    UNCHANGED_MAX: "In its state at most", "В состоянии не больше", "Dans son état au plus";
    ORDER: "Order", "Порядок", "Ordre";
    NEWEST_FIRST: "newest first", "сначала новые", "récents d’abord";
    OLDEST_FIRST: "oldest first", "сначала старые", "anciens d’abord";
    SAVED_SEARCHES: "Saved searches", "Сохранённые поиски", "Recherches enregistrées";
    SAVE_SEARCH: "Save this search", "Сохранить этот поиск", "Enregistrer cette recherche";
    DELETE_SEARCH_SURE: "The saved search “{name}” is deleted. Processes are not touched.",
        "Сохранённый поиск «{name}» будет удалён. Процессы не затрагиваются.",
        "La recherche «\u{a0}{name}\u{a0}» est supprimée. Les processus ne sont pas touchés.";
    // Verdicts
    V_BROKEN: "It is broken: a task failed for good. Try it again, begin anew, or abort.",
        "Процесс сломан: задача окончательно не удалась. Повторите её, начните заново или прервите.",
        "Il est en panne\u{a0}: une tâche a échoué pour de bon. Réessayez, recommencez ou interrompez.";
    V_NOBODY_POLLS: "It waits: nobody ever asked for work of this actor. Start a worker, or look at its name.",
        "Ждёт: за работой этого исполнителя никто не приходил. Запустите его или проверьте имя.",
        "Il attend\u{a0}: personne n’a jamais demandé le travail de cet acteur. Démarrez-en un ou vérifiez le nom.";
    V_BACKLOG: "A task is in its queue, to be given to the next worker that asks.",
        "Задача в очереди, её получит следующий исполнитель.", "Une tâche est dans sa file, pour le prochain exécutant.";
    V_IN_WORK: "A worker is at it.", "Исполнитель работает над задачей.", "Un exécutant y travaille.";
    V_SILENT: "A worker took a task and is silent for too long: another one gets it soon.",
        "Исполнитель взял задачу и слишком долго молчит: скоро её получит другой.",
        "Un exécutant a pris une tâche et se tait trop longtemps\u{a0}: un autre la reçoit bientôt.";
    V_NOT_APPLIED: "A result is stored and not carried on yet: that is mended by itself.",
        "Результат сохранён, но ещё не применён: исправится само.",
        "Un résultat est enregistré mais pas encore appliqué\u{a0}: cela se répare tout seul.";
    V_NOT_QUEUED: "A task is ready and in no queue: that is mended by itself.",
        "Задача готова, но её нет в очереди: исправится само.", "Une tâche est prête et dans aucune file\u{a0}: cela se répare tout seul.";
    V_MISSING: "Something of it is missing.", "Часть данных процесса утрачена.", "Il en manque une partie.";
    V_WAITS_PROMISE: "It waits for the results of other tasks.", "Ждёт результатов других задач.",
        "Il attend les résultats d’autres tâches.";
    V_WAITS_SIGNAL: "It waits for a signal.", "Ждёт сигнала.", "Il attend un signal.";
    V_WAITS_TIME: "It waits for its time.", "Ждёт своего времени.", "Il attend son heure.";
    V_WAITS_PROCESS: "It waits for a process of its own.", "Ждёт своего подпроцесса.", "Il attend un sous-processus.";
    V_OTHER: "It waits.", "Ждёт.", "Il attend.";
    // Tasks
    TASKS: "Tasks", "Задачи", "Tâches";
    TASK: "Task", "Задача", "Tâche";
    TASK_N: "Task {n}", "Задача {n}", "Tâche {n}";
    ALL_TASKS: "All tasks", "Все задачи", "Toutes les tâches";
    TREE_AND_TIMELINE: "Tasks and their time", "Задачи и их время", "Les tâches et leur durée";
    NEEDS_RESULT: "needs the result", "нужен результат", "a besoin du résultat";
    SAME_RESULT: "has the same result", "тот же результат", "a le même résultat";
    FAILED_ATTEMPT: "failed attempt", "неудачная попытка", "essai manqué";
    NO_TASKS: "No tasks", "Задач нет", "Aucune tâche";
    NO_TASKS_HINT: "They are lost. The server makes anew what can be made, within minutes.",
        "Они утрачены. Сервер восстановит, что возможно, за несколько минут.",
        "Elles sont perdues. Le serveur refait ce qui peut l’être, en quelques minutes.";
    TASK_WAITS: "waits", "ждёт", "attend";
    TASK_QUEUED: "in its queue", "в очереди", "en file";
    TASK_WORK: "in work", "в работе", "en travail";
    TASK_DONE: "done", "готово", "fait";
    TASK_FAILED: "failed", "с ошибкой", "échoué";
    TASK_BROKEN: "broken", "сломана", "en panne";
    METHOD: "Method", "Метод", "Méthode";
    CALLED: "Called", "Имя", "Nommée";
    LAID_OUT_BY: "Laid out by task", "Создана задачей", "Créée par la tâche";
    WAITS_FOR: "Waits for tasks", "Ждёт задачи", "Attend les tâches";
    QUEUE: "Queue", "Очередь", "File";
    QUEUES: "Queues", "Очереди", "Files";
    KEY: "Key", "Ключ", "Clé";
    OWN_PROCESS: "Its process", "Её процесс", "Son processus";
    AFTER_ERROR: "After an error", "После ошибки", "Après une erreur";
    RETRIES: "tries: up to {n}, the first pause {pause}", "попыток: до {n}, первая пауза {pause}", "essais\u{a0}: {n} au plus, première pause {pause}";
    GROWS_LINEAR: "growing evenly", "растёт равномерно", "croissance régulière";
    GROWS_EXPONENTIAL: "growing by a factor", "растёт в разы", "croissance exponentielle";
    ERROR_IS_RESULT: "the error is its result", "ошибка становится результатом", "l’erreur est son résultat";
    ERROR_BREAKS: "the process is broken", "процесс ломается", "le processus est en panne";
    READY: "Ready", "Готова", "Prête";
    NOT_READY: "not yet: it waits for other tasks", "ещё нет: ждёт другие задачи", "pas encore\u{a0}: elle attend d’autres tâches";
    NOT_BEFORE: "Not before", "Не раньше", "Pas avant";
    TAKEN: "Taken", "Взята", "Prise";
    DEADLINE: "Deadline", "Срок", "Échéance";
    ATTEMPT: "Attempt", "Попытка", "Essai";
    ATTEMPT_N: "attempt {n}", "попытка {n}", "essai {n}";
    ATTEMPTS: "Attempts and repairs", "Попытки и исправления", "Essais et réparations";
    FAILURES: "Failures", "Неудачи", "Échecs";
    WORKER: "Worker", "Исполнитель", "Exécutant";
    ARGUMENTS: "Arguments", "Аргументы", "Arguments";
    NO_ARGUMENTS: "none", "нет", "aucun";
    RESULT: "Result", "Результат", "Résultat";
    RESULT_OF_N: "the result of task {n}", "результат задачи {n}", "le résultat de la tâche {n}";
    NO_RESULT_YET: "There is no result yet", "Результата пока нет", "Pas encore de résultat";
    ERROR: "Error", "Ошибка", "Erreur";
    TRACE: "Trace", "Стек", "Trace";
    CHECKPOINT: "Saved by its worker", "Сохранено исполнителем", "Sauvegardé par l’exécutant";
    // History
    PAST: "History", "История", "Historique";
    NO_PAST: "Nothing beyond the usual", "Ничего необычного", "Rien d’inhabituel";
    NO_PAST_HINT: "Failed attempts, late results, repairs and what people did are listed here.",
        "Здесь перечисляются неудачные попытки, запоздалые результаты, исправления и действия людей.",
        "Les essais manqués, résultats tardifs, réparations et actions y figurent.";
    P_FAILED: "failed", "неудача", "échec";
    P_LATE: "late result", "поздний результат", "résultat tardif";
    P_WORK_TIMEOUT: "worker silent", "исполнитель молчал", "exécutant muet";
    P_TASK_TIMEOUT: "out of time", "срок истёк", "délai dépassé";
    P_RETRIED: "tried again", "повторена", "réessayée";
    P_REQUEUED: "queued again", "снова в очереди", "remise en file";
    P_APPLIED: "result applied", "результат применён", "résultat appliqué";
    P_REBUILT: "rebuilt", "восстановлено", "reconstruit";
    P_INCONSISTENT: "something is lost", "данные утрачены", "données perdues";
    P_RESTARTED: "begun anew", "начат заново", "recommencé";
    SOURCE: "Whose doing", "Кто сделал", "Par qui";
    BY_ITSELF: "by itself", "автоматически", "tout seul";
    // Actions
    SEND: "Send", "Отправить", "Envoyer";
    SEND_SIGNAL: "Send a signal", "Послать сигнал", "Envoyer un signal";
    SIGNAL_NAME: "Name of the signal", "Имя сигнала", "Nom du signal";
    SIGNAL_VALUE: "Value", "Значение", "Valeur";
    JSON_HINT: "JSON; nothing means null", "JSON; пусто — null", "JSON\u{a0}; rien signifie null";
    RESTART: "Begin anew", "Начать заново", "Recommencer";
    RESTART_SURE: "All its tasks and results are dropped and it begins from the start. What workers have already done outside is not undone, and is done again.",
        "Все задачи и результаты будут отброшены, процесс начнётся с начала. То, что исполнители уже сделали вовне, не отменяется и будет сделано снова.",
        "Toutes ses tâches et ses résultats sont abandonnés et il recommence. Ce que les exécutants ont déjà fait au-dehors n’est pas défait et sera refait.";
    RESTART_FROM: "Begin anew from here", "Начать отсюда", "Recommencer d’ici";
    RESTART_FROM_SURE: "The result of this task and all that came of it are dropped; earlier results are kept. Work is done again from here.",
        "Результат этой задачи и всё, что из него следует, будут отброшены; более ранние результаты сохранятся. Работа повторится отсюда.",
        "Le résultat de cette tâche et tout ce qui en découle sont abandonnés\u{a0}; les résultats antérieurs restent. Le travail reprend d’ici.";
    TRY_AGAIN: "Try again", "Повторить", "Réessayer";
    CLONE: "Clone", "Клонировать", "Cloner";
    CLONE_SURE: "One more process like this is started.", "Будет запущен ещё один такой же процесс.", "Un processus semblable est démarré.";
    ABORT: "Abort", "Прервать", "Interrompre";
    ABORT_PROCESS: "Abort", "Прервать", "Interrompre";
    WHY: "Why", "Почему", "Pourquoi";
    // Broken tasks
    BROKEN_TASKS: "Broken tasks", "Сломанные задачи", "Tâches en panne";
    ALL_BROKEN: "All broken tasks", "Все сломанные задачи", "Toutes les tâches en panne";
    GROUP: "Group", "Сгруппировать", "Grouper";
    GROUP_BY: "Group by", "Группировка", "Grouper par";
    BY_ERROR: "Error class", "Класс ошибки", "Classe d’erreur";
    BY_ACTOR: "Actor", "Исполнитель", "Acteur";
    BY_STARTER: "Who began", "Начало процесса", "Acteur de départ";
    BROKEN_FROM: "Broken from (UTC)", "Сломаны с (UTC)", "En panne dès (UTC)";
    BROKEN_TO: "Broken before (UTC)", "Сломаны до (UTC)", "En panne avant (UTC)";
    BROKEN_BY: "broken by {name}", "сломаны из-за {name}", "en panne par {name}";
    NO_CLASS: "without a class", "без класса", "sans classe";
    FIRST: "First", "Первая", "Première";
    LAST: "Last", "Последняя", "Dernière";
    LAST_MESSAGE: "Last message", "Последнее сообщение", "Dernier message";
    NONE_BROKEN: "Nothing is broken", "Ничего не сломано", "Rien n’est en panne";
    NONE_BROKEN_HINT: "A task is broken when it failed for good: without tries left, and nobody accepts its error.",
        "Задача сломана, когда она окончательно не удалась: попыток не осталось, и её ошибку никто не принимает.",
        "Une tâche est en panne quand elle a échoué pour de bon\u{a0}: plus d’essais, et personne n’accepte son erreur.";
    GROUP_EMPTY: "All of this group were tried again, restarted or aborted.", "Все задачи группы повторены, начаты заново или прерваны.",
        "Toutes celles du groupe ont été réessayées, recommencées ou interrompues.";
    MORE_BROKEN: "There are more than are counted here: name a shorter time to see all of it.",
        "Их больше, чем здесь подсчитано: укажите более короткий срок.",
        "Il y en a plus que ce qui est compté ici\u{a0}: indiquez une durée plus courte.";
    TRY_GROUP: "Try again", "Повторить", "Réessayer";
    TRY_GROUP_SURE: "The broken tasks of all these processes go back into their queues; all other results stay.",
        "Сломанные задачи всех этих процессов вернутся в очереди; остальные результаты сохранятся.",
        "Les tâches en panne de tous ces processus retournent dans leurs files\u{a0}; les autres résultats restent.";
    RESTART_GROUP: "Begin anew", "Начать заново", "Recommencer";
    RESTART_GROUP_SURE: "All these processes begin from the start; all their results are dropped.",
        "Все эти процессы начнутся с начала; их результаты будут отброшены.",
        "Tous ces processus recommencent du début\u{a0}; leurs résultats sont abandonnés.";
    ABORT_GROUP: "Abort", "Прервать", "Interrompre";
    ABORT_GROUP_SURE: "All these processes are aborted. What is aborted can only be begun anew.",
        "Все эти процессы будут прерваны. Прерванное можно только начать заново.",
        "Tous ces processus sont interrompus. Ils ne pourront qu’être recommencés.";
    // Jobs
    JOBS: "Jobs", "Задания", "Travaux";
    JOB: "Job", "Задание", "Travail";
    JOB_N: "Job {n}", "Задание {n}", "Travail {n}";
    JOB_RUNNING: "running", "выполняется", "en cours";
    JOB_PAUSED: "paused", "на паузе", "en pause";
    JOB_DONE: "done", "готово", "fait";
    JOB_CANCELLED: "cancelled", "отменено", "annulé";
    NO_JOB: "No job yet", "Заданий пока нет", "Aucun travail";
    NO_JOB_HINT: "Look for processes and do something with all that is found, or with a group of broken tasks: that is a job.",
        "Найдите процессы и сделайте что-нибудь со всеми найденными или с группой сломанных задач: это и есть задание.",
        "Cherchez des processus et faites quelque chose de tous ceux trouvés, ou d’un groupe de tâches en panne\u{a0}: c’est un travail.";
    NO_SUCH_JOB: "There is no such job", "Такого задания нет", "Ce travail n’existe pas";
    NO_SUCH_JOB_HINT: "It never was, or it is over and was not to be kept any longer.", "Его не было, или оно окончено и срок хранения истёк.",
        "Il n’a jamais existé, ou il est terminé et n’est plus conservé.";
    DO_WITH_ALL: "Do something with all", "Сделать со всеми", "Agir sur tous";
    DO_WITH_FOUND: "Do something with what is found", "Сделать с найденными", "Agir sur ceux trouvés";
    BEGIN_JOB: "Begin", "Начать", "Commencer";
    WHAT_TO_DO: "What", "Что", "Quoi";
    WITH_FOUND: "With: {found}", "С процессами: {found}", "Avec\u{a0}: {found}";
    WITH_ALL: "all processes", "все процессы", "tous les processus";
    WITH_WHICH: "With which", "С какими", "Avec lesquels";
    A_RESTART: "begin anew", "начать заново", "recommencer";
    A_RESTART_FROM: "begin anew from a task", "начать с задачи", "recommencer d’une tâche";
    A_RETRY_BROKEN: "try broken tasks again", "повторить сломанные задачи", "réessayer les tâches en panne";
    A_RECOVER: "recover", "восстановить", "réparer";
    A_ANALYSE: "analyse", "проверить", "analyser";
    A_CLONE: "clone", "клонировать", "cloner";
    A_ABORT: "abort", "прервать", "interrompre";
    FROM_ACTOR: "From the task of this actor", "С задачи этого исполнителя", "De la tâche de cet acteur";
    FROM_METHOD: "From the task of this method", "С задачи этого метода", "De la tâche de cette méthode";
    FROM_TASK_HINT: "Only to begin anew from a task", "Только чтобы начать с задачи", "Seulement pour recommencer d’une tâche";
    RATE: "At most a second", "Не больше в секунду", "Au plus par seconde";
    RATE_HINT: "Processes that are changed in a second, so that the daily work has room", "Процессов в секунду, чтобы не мешать текущей работе",
        "Processus modifiés par seconde, pour laisser de la place au travail courant";
    N_A_SECOND: "processes a second: {n}", "процессов в секунду: {n}", "processus par seconde\u{a0}: {n}";
    PRIORITY: "Priority", "Приоритет", "Priorité";
    PRIORITY_HINT: "−100 to 100; lower ones wait", "от −100 до 100; низшие ждут", "−100 à 100\u{a0}; les plus basses attendent";
    DRY_RUN: "dry run", "пробный запуск", "essai à blanc";
    DRY_RUN_HINT: "Changes nothing: tells what would be done", "Ничего не меняет: показывает, что было бы сделано", "Ne change rien\u{a0}: dit ce qui serait fait";
    DRY_RUN_BANNER: "This is a dry run: nothing is changed. The results tell what would be done.",
        "Это пробный запуск: ничего не меняется. Результаты показывают, что было бы сделано.",
        "C’est un essai à blanc\u{a0}: rien n’est changé. Les résultats disent ce qui serait fait.";
    PROGRESS: "Progress", "Ход", "Avancement";
    ABOUT_N_REMAIN: "about {n} remain", "осталось около {n}", "il en reste environ {n}";
    WAITS_FOR_JOB: "waits for job {n}", "ждёт задание {n}", "attend le travail {n}";
    EXAMINED: "Examined", "Проверено", "Examinés";
    FOUND: "Found", "Найдено", "Trouvés";
    CHANGED: "Changed", "Изменено", "Modifiés";
    WOULD_CHANGE: "Would be changed", "Было бы изменено", "Seraient modifiés";
    SKIPPED: "Nothing to do", "Нечего делать", "Rien à faire";
    FAILED: "Failed", "Не удалось", "Échoués";
    OUTCOME: "Outcome", "Итог", "Issue";
    RESULTS: "Results", "Результаты", "Résultats";
    NO_RESULTS: "No results yet", "Результатов пока нет", "Pas encore de résultats";
    NO_RESULTS_HINT: "What is done with each process is listed here; the first 10,000 of them.",
        "Здесь перечисляется, что сделано с каждым процессом; первые 10\u{a0}000.",
        "Ce qui est fait de chaque processus figure ici\u{a0}; les 10\u{a0}000 premiers.";
    PAUSE: "Pause", "Приостановить", "Suspendre";
    RESUME: "Go on", "Продолжить", "Reprendre";
    PACE: "Rate and priority", "Темп и приоритет", "Rythme et priorité";
    CANCEL_JOB: "Cancel the job", "Отменить задание", "Annuler le travail";
    CANCEL_JOB_SURE: "It ends here. What it did stays done.", "Задание закончится. Сделанное останется.", "Il s’arrête ici. Ce qui est fait reste fait.";
    // Actors
    ACTORS: "Actors", "Исполнители", "Acteurs";
    ACTOR: "Actor", "Исполнитель", "Acteur";
    ACTOR_ACTIVE: "polls", "опрашивает", "interroge";
    ACTOR_SILENT: "silent", "молчит", "silencieux";
    ACTOR_BLOCKED: "blocked", "заблокирован", "bloqué";
    NO_ACTOR: "No actor yet", "Исполнителей пока нет", "Aucun acteur";
    NO_ACTOR_HINT: "An actor is known once somebody asks for its work, or work waits for it.",
        "Исполнитель появляется, когда кто-то приходит за его работой или работа ждёт его.",
        "Un acteur est connu dès que quelqu’un demande son travail, ou que du travail l’attend.";
    NO_SUCH_ACTOR: "That is no actor", "Это не исполнитель", "Ce n’est pas un acteur";
    NO_SUCH_ACTOR_HINT: "An actor is called name#version.", "Исполнитель называется имя#версия.", "Un acteur s’appelle nom#version.";
    WAITING: "Waiting", "Ждут", "En attente";
    OLDEST: "Oldest", "Старейшая", "La plus ancienne";
    HOUR_IN_OUT: "Hour: given / done", "Час: выдано / сделано", "Heure\u{a0}: donnés / faits";
    DAY_IN_OUT: "Day: given / done", "Сутки: выдано / сделано", "Jour\u{a0}: donnés / faits";
    LAST_HOUR: "Last hour: given / done", "За час: выдано / сделано", "Dernière heure\u{a0}: donnés / faits";
    GIVEN_HOUR: "Given, hour", "Выдано за час", "Donnés, heure";
    DONE_HOUR: "Done, hour", "Сделано за час", "Faits, heure";
    GIVEN_DAY: "Given, day", "Выдано за сутки", "Donnés, jour";
    DONE_DAY: "Done, day", "Сделано за сутки", "Faits, jour";
    LAST_POLL: "Last poll", "Последний опрос", "Dernière demande";
    BLOCK: "Block", "Заблокировать", "Bloquer";
    UNBLOCK: "Unblock", "Разблокировать", "Débloquer";
    BLOCK_SURE: "{name} gets no more tasks. What it has may still be finished; the rest waits.",
        "{name} больше не получит задач. Взятые он может закончить; остальное ждёт.",
        "{name} ne reçoit plus de tâches. Celles qu’il a peuvent être finies\u{a0}; le reste attend.";
    BLOCKED_BANNER: "This actor is blocked: it gets nothing, and its work waits.", "Исполнитель заблокирован: он ничего не получает, его работа ждёт.",
        "Cet acteur est bloqué\u{a0}: il ne reçoit rien et son travail attend.";
    SILENT_BANNER: "Work waits for this actor and nobody asked for it for two minutes. Is its worker running?",
        "Работа ждёт этого исполнителя, но уже две минуты за ней никто не приходит. Запущен ли он?",
        "Du travail attend cet acteur et personne ne l’a demandé depuis deux minutes. Son exécutant tourne-t-il\u{a0}?";
    SETTINGS: "What holds for it", "Настройки", "Réglages";
    CHANGE_SETTINGS: "Change settings", "Изменить настройки", "Modifier les réglages";
    CHANGE: "Change", "Изменить", "Modifier";
    RESET: "Reset", "Сбросить", "Réinitialiser";
    RESET_SURE: "All settings of {name} go back to their usual values.", "Все настройки {name} вернутся к обычным значениям.",
        "Tous les réglages de {name} reprennent leurs valeurs habituelles.";
    FOR_EVER: "without end", "без срока", "sans fin";
    WORK_TIMEOUT: "Silence allowed", "Допустимое молчание", "Silence admis";
    WORK_TIMEOUT_HINT: "Then a task that was taken is given to another", "После этого взятая задача передаётся другому", "Ensuite la tâche prise est donnée à un autre";
    RESTART_AFTER_SILENCE: "After silence another one tries", "После молчания пробует другой", "Après un silence, un autre essaie";
    TASK_TIMEOUT: "Time of a task", "Срок задачи", "Durée d’une tâche";
    TASK_TIMEOUT_HINT: "From its queueing; 0: without end", "С постановки в очередь; 0 — без срока", "Depuis la mise en file\u{a0}; 0\u{a0}: sans fin";
    FORCE_FINISH: "Then end it even while a worker has it", "По истечении завершать и взятую задачу", "Ensuite, la terminer même si elle est prise";
    ACCEPT_FIRST: "The first value counts", "Считается первый результат", "La première valeur compte";
    NO_QUEUE: "No queue", "Очередей нет", "Aucune file";
    NO_QUEUE_HINT: "Nothing ever waited for it, and nobody asked.", "Ничто его не ждало, и никто не приходил.", "Rien ne l’a jamais attendu, et personne n’a demandé.";
    // Types
    TYPES: "Types", "Типы", "Types";
    NO_TYPE: "No type yet", "Типов пока нет", "Aucun type";
    NO_TYPE_HINT: "A type is known with its first process.", "Тип появляется с первым процессом.", "Un type est connu avec son premier processus.";
    PROCESS_TIMEOUT: "Expected duration", "Ожидаемая длительность", "Durée prévue";
    PROCESS_TIMEOUT_HINT: "Then a process is looked at", "После этого процесс проверяется", "Ensuite le processus est examiné";
    IDLE_TIMEOUT: "Idle time allowed", "Допустимое бездействие", "Inactivité admise";
    IDLE_TIMEOUT_HINT: "A process in which nothing happens for so long is looked at", "Процесс, в котором столько ничего не происходит, проверяется",
        "Un processus où rien ne se passe aussi longtemps est examiné";
    ON_INCONSISTENCY: "If something is lost", "Если что-то утрачено", "Si quelque chose est perdu";
    ON_INCONSISTENCY_HINT: "To begin anew is right only where work may be repeated", "Начинать заново можно только там, где работу можно повторить",
        "Recommencer n’est juste que si le travail peut être répété";
    POLICY_BROKEN: "broken, with an alert", "сломан, с оповещением", "en panne, avec alerte";
    POLICY_RESTART: "begins anew", "начинается заново", "recommence";
    KEPT: "Finished kept", "Хранение завершённых", "Conservation";
    KEPT_HINT: "How long finished processes can be looked at", "Сколько завершённые процессы доступны", "Combien de temps les processus terminés restent visibles";
    // Schedules
    SCHEDULES: "Schedules", "Расписания", "Planifications";
    SCHEDULE: "Schedule", "Расписание", "Planification";
    SCHEDULE_ON: "on", "включено", "active";
    NEW_SCHEDULE: "New schedule", "Новое расписание", "Nouvelle planification";
    NO_SCHEDULE: "No schedule yet", "Расписаний пока нет", "Aucune planification";
    NO_SCHEDULE_HINT: "A schedule starts a process by the calendar.", "Расписание запускает процесс по календарю.", "Une planification démarre un processus à dates fixes.";
    CRON: "When (UTC)", "Когда (UTC)", "Quand (UTC)";
    CRON_HINT: "Five fields as of cron, such as 30 2 * * *, or H25, D0425, W30425, M100425, Y11100425",
        "Пять полей как в cron, например 30 2 * * *, или H25, D0425, W30425, M100425, Y11100425",
        "Cinq champs comme cron, par exemple 30 2 * * *, ou H25, D0425, W30425, M100425, Y11100425";
    START_TASK: "The task that it begins with", "Задача, с которой начинается", "La tâche de départ";
    MISSED: "Missed runs", "Пропущенные запуски", "Départs manqués";
    MISSED_MAX: "Made up for at most", "Наверстать не больше", "Rattraper au plus";
    MISSED_ONCE: "one is made up for", "навёрстывается один", "un est rattrapé";
    MISSED_SKIP: "left out", "пропускаются", "omis";
    MISSED_ALL: "all are made up for, up to a limit", "навёрстываются все, до предела", "tous sont rattrapés, jusqu’à une limite";
    MISSED_TIMES: "left out {n} times", "пропусков: {n}", "omis {n} fois";
    NO_SUCH_SCHEDULE: "There is no such schedule", "Такого расписания нет", "Cette planification n’existe pas";
    NO_SUCH_SCHEDULE_HINT: "It may have been deleted.", "Возможно, его удалили.", "Elle a peut-être été supprimée.";
    CHANGE_SCHEDULE: "Change schedule", "Изменить расписание", "Modifier la planification";
    NEXT_DATES: "Next dates", "Ближайшие даты", "Prochaines dates";
    RUNS: "Starts", "Запусков", "Départs";
    DELETE_SCHEDULE_SURE: "It starts nothing more. What it started goes on.", "Больше ничего не запустится. Запущенное продолжится.",
        "Il ne démarre plus rien. Ce qui est démarré continue.";
}

/// Tasks that are like those shown.
pub(super) const MORE_ALIKE: Counted = Counted {
    en: ["{n} more like this", "{n} more like this"],
    ru: ["ещё {n} такая же", "ещё {n} такие же", "ещё {n} таких же"],
    fr: ["{n} autre semblable", "{n} autres semblables"],
};

/// Tasks for which there is no room.
pub(super) const NOT_IN_PICTURE: Counted = Counted {
    en: ["{n} more task is not in the picture.", "{n} more tasks are not in the picture."],
    ru: ["Ещё {n} задача не показана.", "Ещё {n} задачи не показаны.", "Ещё {n} задач не показано."],
    fr: ["{n} autre tâche n’est pas dans l’image.", "{n} autres tâches ne sont pas dans l’image."],
};

/// Tasks of all groups.
pub(super) const N_TASKS: Counted = Counted {
    en: ["{n} task", "{n} tasks"],
    ru: ["{n} задача", "{n} задачи", "{n} задач"],
    fr: ["{n} tâche", "{n} tâches"],
};

/// Errors that an actor brought.
pub(super) const N_ERRORS: Counted = Counted {
    en: ["{n} error", "{n} errors"],
    ru: ["{n} ошибка", "{n} ошибки", "{n} ошибок"],
    fr: ["{n} erreur", "{n} erreurs"],
};
