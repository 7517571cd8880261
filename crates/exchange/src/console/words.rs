//! The words of these pages.

web::texts! {
    EXCHANGE: "Exchange", "Обмен", "Échange";
    VIEWS: "Views of the exchange", "Разделы обмена", "Vues de l’échange";
    OVERVIEW: "Overview", "Обзор", "Vue d’ensemble";
    LOOK: "Look at it", "Посмотреть", "Voir";
    LOOK_INTO: "Look into it", "Открыть", "Ouvrir";
    LAST_CONTACT: "Last contact", "Последняя связь", "Dernier contact";
    REGISTERED: "Registered", "Зарегистрировано", "Enregistré";
    KEY: "Key", "Ключ", "Clé";
    NONE_HERE: "Nothing here", "Здесь пусто", "Rien ici";
    NONE_HERE_HINT: "Go to the first page, or choose other filters.", "Перейдите на первую страницу или измените отбор.",
        "Revenez à la première page ou changez les filtres.";
    NO_SUCH_HINT: "It was never registered here. Its id may be mistyped.", "Здесь такого не регистрировали. Возможно, в идентификаторе опечатка.",
        "Il n’a jamais été enregistré ici. Son identifiant est peut-être mal saisi.";
    // Companies
    COMPANIES_AND_SUBSYSTEMS: "Companies and subsystems", "Компании и подсистемы", "Sociétés et sous-systèmes";
    COMPANIES: "Companies", "Компании", "Sociétés";
    COMPANY: "Company", "Компания", "Société";
    COMPANY_HINT: "Id of the company", "Идентификатор компании", "Identifiant de la société";
    SUBSYSTEMS: "Subsystems", "Подсистемы", "Sous-systèmes";
    SUBSYSTEM: "Subsystem", "Подсистема", "Sous-système";
    SUBSYSTEM_HINT: "Id of a subsystem of the company", "Идентификатор подсистемы этой компании", "Identifiant d’un sous-système de la société";
    NAME_HINT: "1 to 40 letters, digits and dashes", "От 1 до 40 латинских букв, цифр и дефисов", "1 à 40 lettres, chiffres et tirets";
    NEW_COMPANY: "New company", "Новая компания", "Nouvelle société";
    NEW_SUBSYSTEM: "New subsystem", "Новая подсистема", "Nouveau sous-système";
    NO_COMPANY: "No company yet", "Компаний пока нет", "Aucune société";
    NO_COMPANY_HINT: "Everything begins with a company: create one, then its subsystems, its database and its devices.",
        "Всё начинается с компании: создайте её, затем подсистемы, базу данных и устройства.",
        "Tout commence par une société\u{a0}: créez-la, puis ses sous-systèmes, sa base et ses appareils.";
    NO_SUBSYSTEM: "No subsystem yet", "Подсистем пока нет", "Aucun sous-système";
    NO_SUBSYSTEM_HINT: "A subsystem is a mobile solution of a company; every device belongs to one.",
        "Подсистема — мобильное решение компании; каждое устройство относится к одной из них.",
        "Un sous-système est une solution mobile d’une société\u{a0}; chaque appareil en a un.";
    SHOW_DEVICES: "its devices", "её устройства", "ses appareils";
    // Databases
    DATABASES: "Databases", "Базы данных", "Bases de données";
    DATABASE: "Database", "База данных", "Base de données";
    DBID: "DBID", "DBID", "DBID";
    DBID_HINT: "1 to 64 letters, digits, dots, dashes and underscores; a letter or digit first",
        "От 1 до 64 латинских букв, цифр, точек, дефисов и подчёркиваний; первой — буква или цифра",
        "1 à 64 lettres, chiffres, points, tirets et soulignés\u{a0}; d’abord une lettre ou un chiffre";
    NEW_DATABASE: "New database", "Новая база данных", "Nouvelle base";
    KEY_ONCE: "The key, shown only now: the business system calls with it",
        "Ключ, показывается только сейчас: с ним обращается учётная система",
        "La clé, affichée une seule fois\u{a0}: le système de gestion appelle avec elle";
    NO_DATABASE: "No database yet", "Баз данных пока нет", "Aucune base de données";
    NO_DATABASE_HINT: "Create one; its key goes into the business system, which then fetches what devices sent.",
        "Создайте базу; её ключ вносится в учётную систему, и она забирает присланное устройствами.",
        "Créez-en une\u{a0}; sa clé va dans le système de gestion, qui vient chercher ce que les appareils envoient.";
    NO_SUCH_DATABASE: "There is no such database", "Такой базы данных нет", "Cette base n’existe pas";
    UNKNOWN_BANNER: "Processes of unknown outcome: {n}. The database did not say whether it committed; their messages wait for an answer.",
        "Процессов с неизвестным исходом: {n}. База не сообщила, зафиксировала ли она данные; сообщения ждут ответа.",
        "Processus à l’issue inconnue\u{a0}: {n}. La base n’a pas dit si elle a validé\u{a0}; leurs messages attendent une réponse.";
    FAILED_BANNER: "Processes whose files cannot be moved: {n}. It is tried again every minute.",
        "Процессов, чьи файлы не удаётся переместить: {n}. Попытки повторяются каждую минуту.",
        "Processus dont les fichiers ne peuvent être déplacés\u{a0}: {n}. Nouvel essai chaque minute.";
    UNKNOWN_HERE: "A process of this database has an unknown outcome.", "У этой базы есть процесс с неизвестным исходом.",
        "Un processus de cette base a une issue inconnue.";
    FAILED_HERE: "A process of this database cannot move its files.", "Процесс этой базы не может переместить файлы.",
        "Un processus de cette base ne peut déplacer ses fichiers.";
    // Ledger
    LEDGER: "Ledger", "Учёт сообщений", "Registre";
    RECEIVED: "Messages and replies", "Сообщения и ответы", "Messages et réponses";
    RECEIVED_HINT: "What the server received for this database, and what it received from it, such as replies; where each of them is:",
        "Что сервер получил для этой базы и что получил от неё, например ответы; где каждое из них:",
        "Ce que le serveur a reçu pour cette base, et ce qu’il a reçu d’elle, comme des réponses\u{a0}; où se trouve chacun\u{a0}:";
    RECEIVED_N: "{n} messages and replies", "сообщений и ответов: {n}", "{n} messages et réponses";
    NOTHING_RECEIVED: "nothing received", "ничего не получено", "rien reçu";
    QUEUED: "Waiting", "Ждут", "En attente";
    IN_PROCESS: "In process", "В обработке", "En traitement";
    IN_LOG: "Done", "Готово", "Faits";
    IN_ERROR: "Error", "Ошибка", "Erreur";
    IN_UNKNOWN: "Unknown", "Неизвестно", "Inconnus";
    REMOVED: "Removed", "Удалено", "Retirés";
    DOES_NOT_ADD_UP: "This ledger does not add up: {received} messages and replies received, {sum} accounted for. Please tell us; nothing more is done to these messages by itself.",
        "Учёт не сходится: получено сообщений и ответов {received}, учтено {sum}. Сообщите нам; сами по себе эти сообщения больше не меняются.",
        "Le registre ne tombe pas juste\u{a0}: {received} messages et réponses reçus, {sum} comptés. Signalez-le\u{a0}; rien d’autre n’arrive tout seul à ces messages.";
    STATISTICS: "Since it was registered", "С момента регистрации", "Depuis l’enregistrement";
    SENT: "Sent", "Отправлено", "Envoyés";
    BYTES: "Bytes sent", "Объём отправленного", "Volume envoyé";
    PROCESSED_N: "Processed", "Обработано", "Traités";
    ERRORS: "Errors", "Ошибки", "Erreurs";
    DEADLOCKS: "Deadlocks", "Взаимные блокировки", "Interblocages";
    // Processes
    PROCESSES: "Processes", "Процессы", "Processus";
    EXCHANGE_PROCESSES: "Processes of the exchange", "Процессы обмена", "Processus de l’échange";
    PROCESS: "Process", "Процесс", "Processus";
    PROCESS_OF: "Process of {db}", "Процесс базы {db}", "Processus de {db}";
    ACTIVE_PROCESS: "Active process", "Текущий процесс", "Processus actif";
    ACTIVE_PROCESSES: "Under way", "Идут", "En cours";
    UNDER_WAY: "under way", "идут", "en cours";
    UNKNOWN_OUTCOMES: "Unknown outcome", "Исход неизвестен", "Issue inconnue";
    FILES_STUCK: "Files stuck", "Файлы застряли", "Fichiers bloqués";
    LATEST_PROCESSES: "Latest processes", "Последние процессы", "Derniers processus";
    AT_REST: "at rest", "не занята", "au repos";
    AT_REST_TITLE: "At rest", "Не занята", "Au repos";
    AT_REST_HINT: "With its next call it is given what waits.", "При следующем обращении ей передадут то, что ждёт.",
        "À son prochain appel elle reçoit ce qui attend.";
    STARTED: "started", "начат", "démarré";
    READY: "ready to commit", "готов к фиксации", "prêt à valider";
    CLEANUP: "moving files", "перемещает файлы", "déplacement des fichiers";
    FAILED: "files stuck", "файлы застряли", "fichiers bloqués";
    UNKNOWN_OUTCOME: "unknown outcome", "исход неизвестен", "issue inconnue";
    ENDED: "ended", "завершён", "terminé";
    COMMITTED: "committed", "зафиксирован", "validé";
    ROLLED_BACK: "rolled back", "отменён", "annulé";
    INTERRUPTED: "interrupted", "прерван", "interrompu";
    TIMED_OUT: "timed out", "время вышло", "délai dépassé";
    FORGOTTEN: "forgotten: nobody came to know", "забыт: исход так и не узнали", "oublié\u{a0}: issue jamais connue";
    FOR_SO_LONG: "In this state for", "В этом состоянии", "Dans cet état depuis";
    AWAITED: "Awaited", "Ожидается", "Attendu";
    AWAITS_RESULTS: "results and replies of the database;", "результаты и ответы от базы;", "les résultats et réponses de la base\u{a0};";
    AWAITS_COMMIT: "word that the database committed;", "подтверждение фиксации от базы;", "la confirmation de validation de la base\u{a0};";
    AWAITS_FILES: "files being moved to their folders", "перемещение файлов по папкам", "le déplacement des fichiers";
    AWAITS_RETRY: "the next try to move its files, within a minute", "следующая попытка переместить файлы, в течение минуты",
        "le prochain essai de déplacement, dans la minute";
    AWAITS_ANSWER: "an answer: did the database commit?", "ответ: зафиксировала ли база?", "une réponse\u{a0}: la base a-t-elle validé\u{a0}?";
    AWAITS_NOTHING: "nothing any more", "больше ничего", "plus rien";
    GIVEN_UP: "given up", "срок ожидания", "abandonné";
    GIVEN: "Given", "Передано", "Donnés";
    GIVEN_MESSAGES: "Given messages", "Переданные сообщения", "Messages donnés";
    REPLIES: "Replies", "Ответы", "Réponses";
    BEGUN: "Begun", "Начало", "Début";
    OVER: "Over", "Конец", "Fin";
    COURSE: "Course", "Ход", "Déroulement";
    LASTS: "Duration", "Длительность", "Durée";
    SAID: "Final message", "Сообщение при завершении", "Message de fin";
    NO_LONGER: "no longer kept", "уже не хранится", "n’est plus gardé";
    NONE_GIVEN: "It has no message", "Сообщений у него нет", "Il n’a aucun message";
    NONE_REPLIED: "It replied nothing", "Ответов нет", "Aucune réponse";
    NO_PROCESS: "No process yet", "Процессов пока не было", "Aucun processus";
    NO_PROCESS_HINT: "A process begins when a database asks for what waits for it.", "Процесс начинается, когда база запрашивает ждущие её сообщения.",
        "Un processus commence quand une base demande ce qui l’attend.";
    NO_PROCESS_FITS: "No process fits", "Ничего не подходит", "Aucun processus ne correspond";
    NO_PROCESS_FITS_HINT: "Choose another state or database. Ended processes are kept for their time, then they are removed.",
        "Выберите другое состояние или базу. Завершённые процессы хранятся положенное время, затем удаляются.",
        "Choisissez un autre état ou une autre base. Les processus terminés sont gardés un temps, puis retirés.";
    NONE_UNKNOWN: "No unknown outcome", "Неизвестных исходов нет", "Aucune issue inconnue";
    NONE_UNKNOWN_HINT: "Every database has said whether it committed. There is nothing to do.", "Все базы сообщили, чем кончилось. Делать ничего не нужно.",
        "Chaque base a dit si elle a validé. Rien à faire.";
    NONE_FAILED: "No files are stuck", "Застрявших файлов нет", "Aucun fichier bloqué";
    NONE_FAILED_HINT: "Every file lies where it belongs, or is on its way.", "Все файлы на месте или в пути.",
        "Chaque fichier est à sa place ou en chemin.";
    NO_SUCH_PROCESS: "There is no such process", "Такого процесса нет", "Ce processus n’existe pas";
    NO_SUCH_PROCESS_HINT: "Ended processes are kept for their time, then they are removed.", "Завершённые процессы хранятся положенное время, затем удаляются.",
        "Les processus terminés sont gardés un temps, puis retirés.";
    RESUME: "Try again now", "Повторить сейчас", "Réessayer maintenant";
    RESUMED: "Its files are tried again now", "Файлы перемещаются снова", "Les fichiers sont réessayés";
    FAILED_WHY: "The database committed, but a file could not be moved to its folder. Nothing is lost and nothing is processed twice; it is tried again every minute. Look at the disk: is it full, or has somebody changed its permissions?",
        "База зафиксировала данные, но файл не удалось переместить в папку. Ничего не потеряно и не обработается дважды; попытки повторяются каждую минуту. Проверьте диск: не заполнен ли он, не изменены ли права?",
        "La base a validé, mais un fichier n’a pu être déplacé. Rien n’est perdu ni traité deux fois\u{a0}; nouvel essai chaque minute. Voyez le disque\u{a0}: est-il plein, ses droits ont-ils changé\u{a0}?";
    UNKNOWN_WHY: "The database brought its results, then nothing more was heard. It may have committed or not. Its messages are set aside; the database itself goes on with others. There is no hurry: take the time to find out.",
        "База прислала результаты и замолчала. Она могла зафиксировать данные, а могла и нет. Эти сообщения отложены, с остальными база работает дальше. Спешить некуда: спокойно выясните.",
        "La base a donné ses résultats, puis plus rien. Elle a peut-être validé, peut-être pas. Ses messages sont mis de côté\u{a0}; la base continue avec d’autres. Rien ne presse\u{a0}: prenez le temps de savoir.";
    INTERRUPT: "Interrupt", "Прервать", "Interrompre";
    WHY: "Why, for the journal. Its messages are free again at once.", "Почему, для журнала. Сообщения сразу освободятся.",
        "Pourquoi, pour le journal. Ses messages sont aussitôt libres.";
    // Unknown outcome
    FIND_OUT: "Did the database commit? How to find out", "Зафиксировала ли база? Как узнать", "La base a-t-elle validé\u{a0}? Comment savoir";
    FIND_1: "Make sure that the program that served the database is not still working on this process.",
        "Убедитесь, что программа, обслуживающая базу, больше не занята этим процессом.",
        "Assurez-vous que le programme de la base ne travaille plus à ce processus.";
    FIND_2: "If it writes the marker of each process, ask the database for it. One row: it committed. No row: it did not.",
        "Если программа записывает отметку каждого процесса, запросите её в базе. Одна строка — зафиксировано, ни одной — нет.",
        "S’il écrit la marque de chaque processus, cherchez-la dans la base. Une ligne\u{a0}: validé. Aucune\u{a0}: non.";
    FIND_3: "Otherwise look in the business system for what one of the messages below should have brought about: an order, a payment.",
        "Иначе поищите в учётной системе то, что должно было появиться по одному из сообщений ниже: заказ, платёж.",
        "Sinon, cherchez dans le système de gestion l’effet d’un des messages ci-dessous\u{a0}: une commande, un paiement.";
    FIND_BY_ITSELF: "A late word of the database itself settles this too: then this page changes by itself.",
        "Запоздалый ответ самой базы тоже всё решит: страница изменится сама.",
        "Une réponse tardive de la base règle aussi l’affaire\u{a0}: la page change alors d’elle-même.";
    IT_COMMITTED: "The database committed", "База зафиксировала данные", "La base a validé";
    IT_DID_NOT: "The database did not commit", "База не зафиксировала данные", "La base n’a pas validé";
    COMMITTED_DOES: "Its results count: the processed messages (of {given}) go to Log, the incorrect ones stay in Error, and the replies ({replies}) go out to the devices. Nothing is given to the database again.",
        "Результаты вступают в силу: из сообщений ({given}) обработанные уйдут в Log, ошибочные останутся в Error, ответы ({replies}) отправятся устройствам. Повторно базе ничего не передаётся.",
        "Ses résultats comptent\u{a0}: les messages traités (sur {given}) vont dans Log, les incorrects restent dans Error, et les réponses ({replies}) partent vers les appareils. Rien n’est redonné à la base.";
    NOT_COMMITTED_DOES: "Nothing of it happened: the messages ({given}) go back to Messages, those in Error too, and are given to the database again; the replies ({replies}) are dropped.",
        "Ничего не произошло: сообщения ({given}), включая ошибочные, вернутся в Messages и будут переданы базе снова; ответы ({replies}) отбрасываются.",
        "Rien n’a eu lieu\u{a0}: les messages ({given}) retournent dans Messages, ceux d’Error aussi, et sont redonnés à la base\u{a0}; les réponses ({replies}) sont abandonnées.";
    COMMITTED_SURE: "If {db} did not commit after all, these messages are never processed, though everybody is told they were. This cannot be taken back. Did it commit?",
        "Если {db} всё же не зафиксировала данные, эти сообщения не будут обработаны никогда, хотя всем сообщат обратное. Отменить нельзя. Зафиксировала?",
        "Si {db} n’a en fait pas validé, ces messages ne seront jamais traités, alors que tous les croiront faits. C’est irrévocable. A-t-elle validé\u{a0}?";
    NOT_COMMITTED_SURE: "If {db} did commit after all, these messages are processed a second time: orders and payments twice. This cannot be taken back. Did it not commit?",
        "Если {db} всё же зафиксировала данные, сообщения обработаются второй раз: двойные заказы и платежи. Отменить нельзя. Точно не зафиксировала?",
        "Si {db} a en fait validé, ces messages sont traités deux fois\u{a0}: commandes et paiements en double. C’est irrévocable. N’a-t-elle pas validé\u{a0}?";
    // Folders
    FOLDERS: "Folders", "Папки", "Dossiers";
    FOLDER: "Folder", "Папка", "Dossier";
    MESSAGES: "Messages", "Сообщения", "Messages";
    MESSAGES_LEAD: "The queue to and from this database, the oldest first.", "Очередь к базе и от неё, сначала старые.",
        "La file vers et depuis cette base, les plus anciens d’abord.";
    PREPARED_LEAD: "Replies that go out once the database has committed.", "Ответы, которые уйдут после фиксации в базе.",
        "Réponses qui partiront quand la base aura validé.";
    LOG_LEAD: "What is done, the newest first.", "Готовое, сначала новое.", "Ce qui est fait, le plus récent d’abord.";
    UNKNOWN_LEAD: "Nobody knows whether these were processed; an answer is given on the page of their process.",
        "Неизвестно, обработаны ли они; ответ даётся на странице их процесса.",
        "Nul ne sait s’ils ont été traités\u{a0}; la réponse se donne sur la page de leur processus.";
    ERROR_LEAD: "What the database could not process, the newest first. Look into one, mend its cause, put it back into the queue.",
        "Что база не смогла обработать, сначала новое. Откройте сообщение, устраните причину и верните его в очередь.",
        "Ce que la base n’a pu traiter, le plus récent d’abord. Ouvrez-en un, corrigez la cause, remettez-le en file.";
    EMPTY_FOLDER: "This folder is empty", "Папка пуста", "Ce dossier est vide";
    EMPTY_FOLDER_HINT: "Messages appear here by themselves; choose another folder above.", "Сообщения появятся здесь сами; выберите другую папку выше.",
        "Les messages apparaissent ici d’eux-mêmes\u{a0}; choisissez un autre dossier ci-dessus.";
    // Messages
    MESSAGE: "Message", "Сообщение", "Message";
    MESSAGE_N: "Message {id}", "Сообщение {id}", "Message {id}";
    MADE: "Made", "Создано", "Créé";
    TAKEN_IN: "Taken in", "Принято", "Reçu";
    SENDER: "From", "От кого", "De";
    RECEIVER: "To", "Кому", "Pour";
    RESULT: "Result", "Результат", "Résultat";
    PROCESSED: "processed", "обработано", "traité";
    DEADLOCK: "deadlock, given again", "блокировка, будет передано снова", "interblocage, redonné";
    INCORRECT: "incorrect", "неверно", "incorrect";
    HELD_BY: "Held by", "Занято процессом", "Tenu par";
    NOBODY: "nobody", "никем", "personne";
    SKIPPED: "Left out so far", "Пропущено раз", "Omis jusqu’ici";
    SKIPPED_N: "left out {n} times", "пропущено раз: {n}", "omis {n} fois";
    ORDER: "Order", "Порядок", "Ordre";
    HEAD: "Head", "Заголовок", "En-tête";
    WHEREABOUTS: "Where it lies", "Где находится", "Où il se trouve";
    LIES_IN: "Folder", "Папка", "Dossier";
    DRAFT: "(not sent yet)", "(ещё не отправлено)", "(pas encore envoyé)";
    ON_DISK: "File on disk", "Файл на диске", "Fichier sur disque";
    IN_BLOBS: "none; the text is in a blob", "нет; текст в блобе", "aucun\u{a0}; le texte est dans un blob";
    IN_STORE: "none; the text is in the store", "нет; текст в хранилище", "aucun\u{a0}; le texte est dans le stockage";
    NUMBER: "Receipt number", "Номер приёма", "Numéro de réception";
    FILE: "Name of the file", "Имя файла", "Nom du fichier";
    TEXT: "Text", "Текст", "Texte";
    DOWNLOAD: "Download", "Скачать", "Télécharger";
    CUT: "Only the beginning is shown. Download it to see the whole.", "Показано только начало. Скачайте, чтобы увидеть целиком.",
        "Seul le début est affiché. Téléchargez-le pour tout voir.";
    NOT_SHOWN: "This text is too large to be shown, or its file cannot be read right now. Download it to try.",
        "Текст слишком велик для показа, или файл сейчас не читается. Попробуйте скачать.",
        "Ce texte est trop grand pour être affiché, ou son fichier n’est pas lisible. Essayez de le télécharger.";
    NO_SUCH_MESSAGE: "There is no such message", "Такого сообщения нет", "Ce message n’existe pas";
    NO_SUCH_MESSAGE_HINT: "It was removed when its time was over, or its address is mistyped.", "Срок хранения истёк, или в адресе опечатка.",
        "Il a été retiré à la fin de sa durée, ou son adresse est mal saisie.";
    IS_QUEUED: "It waits to be given.", "Ждёт передачи.", "Il attend d’être donné.";
    IS_IN_PROCESS: "Its database is working on it.", "База его обрабатывает.", "Sa base le traite.";
    IS_PREPARED: "A reply that goes out once its database has committed.", "Ответ уйдёт, когда база зафиксирует данные.",
        "Une réponse qui partira quand sa base aura validé.";
    IS_DONE: "It is done.", "Готово.", "C’est fait.";
    IS_WRONG: "The database could not process it.", "База не смогла его обработать.", "La base n’a pu le traiter.";
    IS_UNKNOWN: "Nobody knows whether it was processed: its process has an unknown outcome.", "Неизвестно, обработано ли оно: исход процесса неизвестен.",
        "Nul ne sait s’il a été traité\u{a0}: l’issue de son processus est inconnue.";
    IS_UNKNOWN_REPLY: "A reply that goes out if its database committed, which nobody knows.", "Ответ уйдёт, если база зафиксировала данные, а это неизвестно.",
        "Une réponse qui partira si sa base a validé, ce que nul ne sait.";
    IS_DEADLOCKED: "A lock was in its way; it is given again.", "Помешала блокировка; будет передано снова.",
        "Un verrou l’a gêné\u{a0}; il est redonné.";
    REQUEUE: "Put back into the queue", "Вернуть в очередь", "Remettre en file";
    REQUEUED: "It waits again", "Снова в очереди", "Il attend de nouveau";
    REQUEUE_ERROR_SURE: "It is given to the database again, and what was said of it is forgotten. Put it back?",
        "База получит его снова, прежний результат забудется. Вернуть?",
        "Il est redonné à la base, et ce qui en fut dit est oublié. Le remettre\u{a0}?";
    REQUEUE_LOG_SURE: "It was processed already. If it is given again, what it brings about happens a second time. Put it back?",
        "Оно уже обработано. Если передать снова, всё по нему произойдёт второй раз. Вернуть?",
        "Il a déjà été traité. Redonné, son effet se produit une seconde fois. Le remettre\u{a0}?";
    REQUEUE_UNKNOWN_SURE: "Nobody knows whether it was processed. If it was, what it brings about happens a second time. Put it back?",
        "Неизвестно, обработано ли оно. Если да, всё по нему произойдёт второй раз. Вернуть?",
        "Nul ne sait s’il a été traité. Si oui, son effet se produit une seconde fois. Le remettre\u{a0}?";
    // Devices
    DEVICES: "Devices", "Устройства", "Appareils";
    DEVICE: "Device", "Устройство", "Appareil";
    ACTIVE: "active", "активно", "actif";
    BLOCKED: "blocked", "заблокировано", "bloqué";
    NOT_ACTIVATED: "not activated", "не активировано", "non activé";
    NEW_DEVICE: "New device", "Новое устройство", "Nouvel appareil";
    DEVICE_NAME_HINT: "Whose it is or where it stands", "Чьё оно или где находится", "Son utilisateur ou son emplacement";
    CODE_ONCE: "The activation code, shown only now: type it into the device within seven days",
        "Код активации, показывается только сейчас: введите его на устройстве в течение семи дней",
        "Le code d’activation, affiché une seule fois\u{a0}: à saisir dans l’appareil sous sept jours";
    NO_DEVICE: "No device yet", "Устройств пока нет", "Aucun appareil";
    NO_DEVICE_HINT: "Create one: you get a code to type into it, and with that it lets itself in.",
        "Создайте устройство: вы получите код, введите его на устройстве, и оно подключится само.",
        "Créez-en un\u{a0}: vous recevez un code à y saisir, et il entre de lui-même.";
    NO_SUCH_DEVICE: "There is no such device", "Такого устройства нет", "Cet appareil n’existe pas";
    BLOCKED_BANNER: "This device is blocked: whatever it calls is refused. What is for it waits.",
        "Устройство заблокировано: все его обращения отклоняются. Сообщения для него ждут.",
        "Cet appareil est bloqué\u{a0}: tous ses appels sont refusés. Ce qui est pour lui attend.";
    WAITS_FOR_CODE: "This device has not been activated yet: its code waits to be typed in.",
        "Устройство ещё не активировано: введите на нём код.",
        "Cet appareil n’est pas encore activé\u{a0}: son code attend d’être saisi.";
    NEEDS_CODE: "This device has no key and no code. Give it a new code.", "У устройства нет ни ключа, ни кода. Выдайте новый код.",
        "Cet appareil n’a ni clé ni code. Donnez-lui un nouveau code.";
    ACTIVATION: "Activation", "Активация", "Activation";
    CODE: "Activation code", "Код активации", "Code d’activation";
    CODE_WAITS: "given, not used yet", "выдан, ещё не использован", "donné, pas encore utilisé";
    NO_CODE: "none waits", "нет", "aucun n’attend";
    CODE_LEAD: "A code is valid for seven days and works once. Nobody can look it up later: if it is lost, give a new one.",
        "Код действует семь дней и срабатывает один раз. Позже его не узнать: если потерян, выдайте новый.",
        "Un code vaut sept jours et sert une fois. On ne peut le relire\u{a0}: s’il est perdu, donnez-en un autre.";
    NEW_CODE: "New code", "Новый код", "Nouveau code";
    NEW_CODE_SURE: "The old code stops working. Make a new one?", "Старый код перестанет действовать. Создать новый?",
        "L’ancien code ne servira plus. En créer un\u{a0}?";
    NEW_CODE_ENDS_KEY: "The device's key ends at once: it is shut out until the new code is typed in. Make a new one?",
        "Ключ устройства сразу перестанет действовать: пока не введён новый код, доступа не будет. Создать новый?",
        "La clé de l’appareil prend fin aussitôt\u{a0}: il reste dehors jusqu’à la saisie du code. En créer un\u{a0}?";
    BLOCK: "Block", "Заблокировать", "Bloquer";
    BLOCK_SURE: "Whatever {name} calls is refused until it is let in again. Block it?",
        "Все обращения {name} будут отклоняться, пока вы его не разблокируете. Заблокировать?",
        "Tous les appels de {name} sont refusés jusqu’à son déblocage. Le bloquer\u{a0}?";
    UNBLOCK: "Let in again", "Разблокировать", "Débloquer";
    WAITING: "What waits for it", "Ожидающие сообщения", "Messages en attente";
    NONE_WAITS: "Nothing waits for this device", "Для устройства ничего нет", "Rien n’attend cet appareil";
    NONE_WAITS_HINT: "Replies of databases wait here until the device fetches and acknowledges them.",
        "Ответы баз ждут здесь, пока устройство их не заберёт и не подтвердит.",
        "Les réponses des bases attendent ici que l’appareil les prenne et les confirme.";
    FIRST_N: "The first {n} are shown.", "Показаны первые {n}.", "Les {n} premiers sont affichés.";
    // Journal
    PAST: "Journal", "Журнал", "Journal";
    NO_PAST: "Nothing to tell", "Записей нет", "Rien à dire";
    NO_PAST_HINT: "Errors, interruptions and what people decide is written here.", "Здесь записываются ошибки, прерывания и решения людей.",
        "Les erreurs, interruptions et décisions s’écrivent ici.";
}
