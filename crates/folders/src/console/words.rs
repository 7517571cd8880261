//! The words of folders' pages.

use web::texts;

texts! {
    FOLDERS: "Folders", "Папки", "Dossiers";
    VIEWS: "Views of the directory", "Представления директории", "Vues du répertoire";
    FILES: "Files", "Файлы", "Fichiers";
    DELETED: "Deleted", "Удалённые", "Supprimés";
    CONFLICTS: "Conflicts", "Конфликты", "Conflits";
    DEVICES: "Devices", "Устройства", "Appareils";
    LOCKS: "Locks", "Блокировки", "Verrous";
    // Directories
    DIRECTORY: "Directory", "Директория", "Répertoire";
    NONE_SO_FAR: "No conflict among the newest files", "Среди новых файлов конфликтов нет", "Aucun conflit parmi les fichiers récents";
    NONE_SO_FAR_HINT: "A page looks at 5,000 files. Older ones are looked at from the button below.",
        "Страница просматривает 5000 файлов. Более старые — по кнопке ниже.", "Une page examine 5000 fichiers. Le bouton ci-dessous examine les plus anciens.";
    LOOK_FURTHER: "Look further", "Искать дальше", "Chercher plus loin";
    DIRECTORIES: "Directories", "Директории", "Répertoires";
    NEW_DIRECTORY: "New directory", "Новая директория", "Nouveau répertoire";
    NO_DIRECTORIES: "No directory yet", "Директорий пока нет", "Aucun répertoire";
    NO_DIRECTORIES_HINT: "Create the first one with the button above, or from a device.",
        "Создайте первую кнопкой выше или с устройства.", "Créez le premier avec le bouton ci-dessus, ou depuis un appareil.";
    USED: "Used", "Занято", "Utilisé";
    OF_QUOTA: "{used} of {quota}", "{used} из {quota}", "{used} sur {quota}";
    NAMES: "Names", "Имена", "Noms";
    NAMES_FOLDED: "capital and small letters are the same", "регистр не различается", "majuscules et minuscules confondues";
    NAMES_EXACT: "compared byte by byte", "сравниваются побайтно", "comparés octet par octet";
    ANYONE: "Keys that are no members may", "Ключам не из списка можно", "Les clés non membres peuvent";
    COMMITS: "Commits", "Изменения", "Modifications";
    QUOTA: "Quota in bytes", "Квота в байтах", "Quota en octets";
    QUOTA_HINT: "Empty: as it is.", "Пусто: как есть.", "Vide\u{a0}: inchangé.";
    SETTINGS: "Settings", "Настройки", "Réglages";
    REMOVE_SURE: "Remove “{name}” with all its files and their history, for good? Copies on devices stay.",
        "Удалить «{name}» со всеми файлами и историей навсегда? Копии на устройствах останутся.",
        "Supprimer «\u{a0}{name}\u{a0}» avec tous ses fichiers et leur historique, définitivement\u{a0}? Les copies sur les appareils restent.";
    // Files
    FILE: "File", "Файл", "Fichier";
    FOLDER: "Folder", "Папка", "Dossier";
    SYMLINK: "Link", "Ссылка", "Lien";
    TOP: "Top", "Верхний уровень", "Racine";
    CHANGED: "Changed", "Изменён", "Modifié";
    EMPTY_FOLDER: "Nothing is in this folder", "В этой папке ничего нет", "Ce dossier est vide";
    EMPTY_FOLDER_HINT: "Devices that keep this directory put their files here.",
        "Файлы появятся с устройств, которые держат эту директорию.",
        "Les appareils qui gardent ce répertoire y mettent leurs fichiers.";
    NO_FOLDER: "No such folder", "Такой папки нет", "Ce dossier n’existe pas";
    NO_FOLDER_HINT: "It was renamed or deleted. Begin at the top, or look under “Deleted”.",
        "Она переименована или удалена. Начните с верхнего уровня или загляните в «Удалённые».",
        "Il a été renommé ou supprimé. Repartez de la racine, ou voyez «\u{a0}Supprimés\u{a0}».";
    NONE_DELETED: "Nothing was deleted", "Ничего не удалено", "Rien n’a été supprimé";
    NONE_DELETED_HINT: "What is deleted can be brought back from here.", "Отсюда удалённое можно вернуть.",
        "Ce qui est supprimé se restaure d’ici.";
    NO_CONFLICTS: "No conflicts", "Конфликтов нет", "Aucun conflit";
    NO_CONFLICTS_HINT: "When two devices change a file at once, the later change becomes a copy, and is listed here.",
        "Если два устройства меняют файл одновременно, более поздняя правка становится копией и видна здесь.",
        "Quand deux appareils modifient un fichier à la fois, la modification tardive devient une copie, listée ici.";
    SOME_CONFLICTS: "Compare each copy with its original, then keep one of them on any device.",
        "Сравните копию с оригиналом и оставьте один из них на любом устройстве.",
        "Comparez chaque copie à son original, puis n’en gardez qu’un, sur n’importe quel appareil.";
    // One file
    HISTORY: "History", "История", "Historique";
    PATH: "Path", "Путь", "Chemin";
    BY_DEVICE: "Device", "Устройство", "Appareil";
    WHAT: "What", "Что", "Quoi";
    IS_DELETED: "deleted", "удалён", "supprimé";
    IS_THERE: "there", "на месте", "présent";
    NEW_CONTENT: "new content", "новое содержимое", "nouveau contenu";
    NEW_PLACE: "renamed or changed", "переименован или изменён", "renommé ou modifié";
    NEWEST: "newest", "последняя", "la plus récente";
    DOWNLOAD: "Download", "Скачать", "Télécharger";
    RESTORE: "Restore", "Восстановить", "Restaurer";
    RESTORE_SURE: "Bring version {version} of “{path}” back as its newest version? All devices get it.",
        "Вернуть версию {version} файла «{path}» как последнюю? Её получат все устройства.",
        "Rétablir la version {version} de «\u{a0}{path}\u{a0}» comme la plus récente\u{a0}? Tous les appareils la recevront.";
    RUNS: "May be run", "Исполняемый", "Exécutable";
    TARGET: "Leads to", "Ведёт к", "Mène à";
    // Restoring a tree, undoing a device
    RESTORE_TREE: "Restore to a moment", "Вернуть на момент", "Restaurer à un moment";
    RESTORE_TREE_SURE: "Bring everything back to what it was then? What was made since is deleted, and stays in the history.",
        "Вернуть всё к состоянию на этот момент? Созданное позже будет удалено, но останется в истории.",
        "Tout remettre dans l’état d’alors\u{a0}? Ce qui a été fait depuis est supprimé, et reste dans l’historique.";
    AT: "As it was at", "Состояние на", "État au";
    BELOW: "Only below this folder", "Только внутри этой папки", "Seulement sous ce dossier";
    BEGUN: "Begun: files come back in small steps.", "Начато: файлы возвращаются небольшими шагами.",
        "Commencé\u{a0}: les fichiers reviennent par petites étapes.";
    UNDO: "Undo", "Отменить изменения", "Annuler";
    UNDO_OF: "Undo what {device} did", "Отменить сделанное {device}", "Annuler ce qu’a fait {device}";
    UNDO_SURE: "Undo everything that {device} did since then? What others did after it stays.",
        "Отменить всё, что {device} сделало с этого момента? Более поздние изменения других останутся.",
        "Annuler tout ce que {device} a fait depuis\u{a0}? Ce que d’autres ont fait ensuite reste.";
    SINCE: "Since", "С момента", "Depuis";
    // Devices and members
    KEY: "Key", "Ключ", "Clé";
    HAS_UP_TO: "When it last connected", "При последнем подключении", "À sa dernière connexion";
    HAS_NEW: "came new", "подключилось впервые", "première connexion";
    HAS_COMMITS: "had commit {seq}; {more} since", "было изменение {seq}; с тех пор {more}", "avait la modification {seq}\u{a0}; {more} depuis";
    LEVEL: "nothing new since", "с тех пор нового нет", "rien de nouveau depuis";
    HAS_HINT: "The server notes where a device stood when it connected. What it received after that is not counted: while it is connected, it gets each change at once.",
        "Сервер отмечает, что было у устройства при подключении. Полученное после этого не считается: пока оно на связи, каждое изменение приходит сразу.",
        "Le serveur note où en était un appareil à sa connexion. Ce qu’il a reçu ensuite n’est pas compté\u{a0}: tant qu’il est connecté, chaque modification lui parvient aussitôt.";
    SEEN: "Last here", "Последний раз", "Vu";
    FORGET: "Forget", "Забыть", "Oublier";
    FORGET_SURE: "Forget {device}? Do this only if it will not come back: it may then bring back what others deleted.",
        "Забыть {device}? Только если оно больше не вернётся: иначе оно может вернуть удалённое другими.",
        "Oublier {device}\u{a0}? Seulement s’il ne revient pas\u{a0}: il pourrait ramener ce que d’autres ont supprimé.";
    NO_DEVICES: "No device came yet", "Устройств пока не было", "Aucun appareil n’est venu";
    NO_DEVICES_HINT: "A device appears here when it first asks for this directory.",
        "Устройство появится здесь, когда впервые запросит эту директорию.",
        "Un appareil apparaît ici quand il demande ce répertoire pour la première fois.";
    MEMBERS: "Members", "Участники", "Membres";
    MEMBER: "Key or device", "Ключ или устройство", "Clé ou appareil";
    ADD_MEMBER: "Add a member", "Добавить участника", "Ajouter un membre";
    KEY_ID: "Id of the key", "Идентификатор ключа", "Identifiant de la clé";
    DROP_SURE: "Take {who} its role in this directory?", "Лишить {who} роли в этой директории?",
        "Retirer à {who} son rôle dans ce répertoire\u{a0}?";
    NO_MEMBERS: "No members", "Участников нет", "Aucun membre";
    NO_MEMBERS_HINT: "Only operators and administrators may use this directory.",
        "Директорией могут пользоваться только операторы и администраторы.",
        "Seuls les opérateurs et les administrateurs peuvent utiliser ce répertoire.";
    MAY_NONE: "nothing", "ничего", "rien";
    MAY_READ: "read", "читать", "lire";
    MAY_WRITE: "write", "писать", "écrire";
    MAY_ADMIN: "administer", "управлять", "administrer";
    // Locks
    WRITES: "Writes", "Пишет", "Écrit";
    KEPT_FOR: "Kept for", "Оставлено за", "Réservé à";
    WAITS: "Wait", "Ждут", "Attendent";
    ENDS_IN: "Ends in", "Истекает через", "Expire dans";
    NEW_HERE: "new", "новый", "nouveau";
    NO_LOCKS: "Nobody writes", "Никто не пишет", "Personne n’écrit";
    NO_LOCKS_HINT: "A lock lasts as long as its device is heard, and ends by itself.",
        "Блокировка живёт, пока слышно устройство, и снимается сама.",
        "Un verrou dure tant que son appareil est entendu, et expire seul.";
}
