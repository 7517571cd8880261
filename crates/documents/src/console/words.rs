//! The words of these pages.

use web::texts;
use web::ui::Counted;

texts! {
    DOCUMENTS: "Documents", "Документы", "Documents";
    // Classes
    CLASSES: "Classes of documents", "Классы документов", "Classes de documents";
    CLASS: "Class", "Класс", "Classe";
    ITEMS: "Items", "Элементы", "Éléments";
    INDEXES: "Indexes", "Индексы", "Index";
    COPIES: "Copied to", "Копируется в", "Copié vers";
    HISTORY: "History", "История", "Historique";
    KEEPS: "kept", "ведётся", "tenu";
    ONE_ONLY: "one", "один", "unique";
    OPAQUE: "text", "текст", "texte";
    READY: "ready", "готов", "prêt";
    FILLING: "filling, {n} looked at", "заполняется, просмотрено {n}", "remplissage, {n} parcourus";
    OF_PROGRAM: "of a program", "из программы", "d’un programme";
    NOT_COUNTED: "not counted", "не подсчитано", "non compté";
    DECLARE: "Declare a class", "Объявить класс", "Déclarer une classe";
    CHANGE_CLASS: "Change class", "Изменить класс", "Modifier la classe";
    DECLARATION: "Declaration", "Объявление", "Déclaration";
    DECLARATION_HINT: "Which items documents hold, which of their fields can be searched, where items are copied to. “history” keeps the last 50 changes of each document.",
        "Какие элементы есть в документах, по каким полям можно искать, куда элементы копируются. «history» хранит последние 50 изменений каждого документа.",
        "Quels éléments contiennent les documents, quels champs peuvent être cherchés, où les éléments sont copiés. «\u{a0}history\u{a0}» garde les 50 derniers changements de chaque document.";
    CHANGE_HINT: "A new index is filled in the background; searches by it wait until that is done.",
        "Новый индекс заполняется в фоне; поиск по нему доступен, когда это закончится.",
        "Un nouvel index est rempli en arrière-plan\u{a0}; les recherches l’attendent.";
    NO_CLASSES: "No class of documents yet", "Классов документов пока нет", "Aucune classe de documents";
    NO_CLASSES_HINT: "A class says what its documents hold. Declare one here, with the command line or with the API:",
        "Класс говорит, что есть в его документах. Объявите его здесь, из командной строки или через API:",
        "Une classe dit ce que contiennent ses documents. Déclarez-en une ici, en ligne de commande ou par l’API\u{a0}:";
    // Documents of a class
    ID: "Id", "Идентификатор", "Identifiant";
    ID_STARTS: "Id starts with", "Начало идентификатора", "L’identifiant commence par";
    CHANGED: "Changed", "Изменён", "Modifié";
    ATTACHMENTS: "Attachments", "Вложения", "Pièces jointes";
    NEW_DOCUMENT: "New document", "Новый документ", "Nouveau document";
    FIRST_ITEMS: "Its items", "Его элементы", "Ses éléments";
    FIRST_ITEMS_HINT: "A list: “c” is the item's class, “k” its key (none if there is only one), “j” its JSON, “s” its text.",
        "Список: «c» — класс элемента, «k» — ключ (не нужен, если элемент один), «j» — JSON, «s» — текст.",
        "Une liste\u{a0}: «\u{a0}c\u{a0}» est la classe de l’élément, «\u{a0}k\u{a0}» sa clé (aucune s’il est unique), «\u{a0}j\u{a0}» son JSON, «\u{a0}s\u{a0}» son texte.";
    EXISTS_ALREADY: "There is a document with this id already. Nothing was changed: choose another id, or open that one.",
        "Документ с таким идентификатором уже есть. Ничего не изменено: выберите другой или откройте тот документ.",
        "Un document porte déjà cet identifiant. Rien n’a été changé\u{a0}: choisissez-en un autre, ou ouvrez celui-là.";
    NO_DOCUMENTS: "No documents here", "Документов нет", "Aucun document ici";
    NO_DOCUMENTS_HINT: "Programs make them with doc.commit; you can make one too.",
        "Их создают программы через doc.commit; можно создать и здесь.",
        "Les programmes les créent par doc.commit\u{a0}; vous pouvez aussi en créer un.";
    NONE_FITS: "No id starts with this", "Таких идентификаторов нет", "Aucun identifiant ne commence ainsi";
    NONE_FITS_HINT: "Capital letters count. Reset the filter to see all documents.",
        "Регистр важен. Сбросьте отбор, чтобы увидеть все документы.",
        "Les majuscules comptent. Réinitialisez le filtre pour tout voir.";
    MORE_BEHIND: "Nothing on this page, but there is more behind it.", "На этой странице ничего нет, но дальше есть ещё.", "Rien sur cette page, mais il y en a plus loin.";
    PROGRAM_ONLY: "Documents of this class are changed only by operations of the program that brings it along.",
        "Документы этого класса меняют только операции программы, которой он принадлежит.",
        "Les documents de cette classe ne changent que par les opérations du programme qui l’apporte.";
    // Search
    FIND: "Search by index", "Поиск по индексу", "Recherche par index";
    FIELD: "Field", "Поле", "Champ";
    CONDITION: "Condition", "Условие", "Condition";
    VALUE: "Value", "Значение", "Valeur";
    UP_TO: "To (ranges)", "До (диапазоны)", "À (plages)";
    NO_INDEX: "No field of this class is indexed. Declare an index of the class to search its documents.",
        "В этом классе нет индексов. Объявите индекс, чтобы искать документы.",
        "Aucun champ de cette classe n’est indexé. Déclarez un index pour chercher ses documents.";
    FOUND: "Found", "Найдено", "Trouvés";
    NOTHING_FOUND: "Nothing found", "Ничего не найдено", "Rien trouvé";
    NOTHING_FOUND_HINT: "No item has such a value. Texts are compared letter by letter, capital letters count.",
        "Такого значения нет ни у одного элемента. Тексты сравниваются посимвольно, регистр важен.",
        "Aucun élément n’a cette valeur. Les textes sont comparés lettre par lettre, les majuscules comptent.";
    NOT_SEARCHED: "This cannot be searched", "Так искать нельзя", "Recherche impossible";
    IS: "is", "равно", "est";
    STARTS_WITH: "starts with", "начинается с", "commence par";
    BETWEEN: "between ({from} … {to})", "между ({from} … {to})", "entre ({from} … {to})";
    NOT_INDEXED: "“{text}” is not indexed", "По полю «{text}» нет индекса", "«\u{a0}{text}\u{a0}» n’est pas indexé";
    NO_CONDITION: "“{text}” is no condition", "«{text}» — не условие", "«\u{a0}{text}\u{a0}» n’est pas une condition";
    NO_WHOLE_NUMBER: "“{text}” is no whole number", "«{text}» — не целое число", "«\u{a0}{text}\u{a0}» n’est pas un nombre entier";
    NO_NUMBER: "“{text}” is no number", "«{text}» — не число", "«\u{a0}{text}\u{a0}» n’est pas un nombre";
    // A document
    DOCUMENT: "Document", "Документ", "Document";
    LAST_CHANGE: "Last change", "Последнее изменение", "Dernier changement";
    BY: "By", "Кем", "Par";
    KEY: "Key", "Ключ", "Clé";
    SIZE_ITEMS: "Size of items", "Размер элементов", "Taille des éléments";
    SIZE_ATTACHMENTS: "Size of attachments", "Размер вложений", "Taille des pièces jointes";
    NO_SUCH: "There is no such document", "Такого документа нет", "Ce document n’existe pas";
    NO_SUCH_HINT: "It was never there, or somebody deleted it.", "Его не было, или его удалили.", "Il n’a jamais existé, ou quelqu’un l’a supprimé.";
    DELETE_DOCUMENT: "Delete document", "Удалить документ", "Supprimer le document";
    DELETE_DOCUMENT_SURE: "Delete {id} with all its items and attachments? This cannot be taken back.",
        "Удалить {id} со всеми элементами и вложениями? Отменить это нельзя.",
        "Supprimer {id} avec tous ses éléments et pièces jointes\u{a0}? C’est irrévocable.";
    DELETE_ITEM_SURE: "Delete {item}?", "Удалить {item}?", "Supprimer {item}\u{a0}?";
    NO_ITEMS: "No items", "Элементов нет", "Aucun élément";
    NO_ITEMS_HINT: "Add one with the form above, or by doc.commit.", "Добавьте элемент в форме выше или через doc.commit.", "Ajoutez-en un par le formulaire ci-dessus, ou par doc.commit.";
    KEY_STARTS: "Key starts with", "Начало ключа", "La clé commence par";
    ADD_ITEM: "Add or open an item", "Добавить или открыть элемент", "Ajouter ou ouvrir un élément";
    OPEN: "Open", "Открыть", "Ouvrir";
    EDIT: "Edit", "Изменить", "Modifier";
    SHOWN_OF: "{from} to {to} of {n}", "{from}–{to} из {n}", "{from} à {to} sur {n}";
    TOO_LONG: "Too long to show here", "Слишком длинно для показа здесь", "Trop long pour être affiché ici";
    SHOW_WHOLE: "Show whole value", "Показать значение целиком", "Afficher toute la valeur";
    DELETED_ITEMS: "Deleted items", "Удалённые элементы", "Éléments supprimés";
    DELETED_ITEMS_HINT: "Traces of them are kept so that copies on devices drop them too.",
        "Их следы хранятся, чтобы копии на устройствах тоже их удалили.",
        "Leurs traces sont gardées pour que les copies sur les appareils les suppriment aussi.";
    BEHIND: "Somebody else changed this document since you opened it. Nothing of yours was saved, nothing of theirs was overwritten. The page shows the newer version; your text is still here: look at both, then save again if you want to replace theirs.",
        "Пока вы правили, документ изменил кто-то другой. Ваши правки не сохранены, чужие не затёрты. Страница показывает новую версию, ваш текст остался здесь: сравните их и сохраните ещё раз, если хотите заменить чужие правки своими.",
        "Quelqu’un d’autre a changé ce document depuis que vous l’avez ouvert. Vos modifications ne sont pas enregistrées, les siennes ne sont pas écrasées. La page montre la nouvelle version\u{a0}; votre texte est toujours là\u{a0}: comparez, puis enregistrez de nouveau si vous voulez remplacer les siennes.";
    BEHIND_DELETE: "Somebody else changed this document meanwhile, so nothing was deleted. The page now shows the newer version: look at it and try again.",
        "Документ тем временем изменил кто-то другой, поэтому ничего не удалено. Страница показывает новую версию: посмотрите и повторите.",
        "Quelqu’un d’autre a changé ce document entre-temps\u{a0}; rien n’a été supprimé. La page montre la nouvelle version\u{a0}: regardez-la et réessayez.";
    // Attachments
    NO_ATTACHMENTS: "Nothing is attached", "Вложений нет", "Aucune pièce jointe";
    MEDIA_TYPE: "Type", "Тип", "Type";
    DOWNLOAD: "Download", "Скачать", "Télécharger";
    ATTACH: "Attach a file", "Прикрепить файл", "Joindre un fichier";
    FILE: "File", "Файл", "Fichier";
    ATTACH_KEY_HINT: "Choosing a file fills its name in. What was attached under the same key is replaced.",
        "Имя файла подставится само. Прежнее вложение с тем же ключом заменяется.",
        "Le nom du fichier est proposé. Ce qui était joint sous la même clé est remplacé.";
    BY_PROGRAM: "A browser cannot ask for an address with this name: use a program.",
        "Браузер не может открыть адрес с таким именем: используйте программу.",
        "Un navigateur ne peut pas demander une adresse avec ce nom\u{a0}: utilisez un programme.";
    // History
    WHAT: "What", "Что", "Quoi";
    NO_HISTORY: "No history is kept of this class", "История этого класса не ведётся", "Aucun historique pour cette classe";
    NO_HISTORY_HINT: "Declare the class with “history”: true, and the last 50 changes of each document are kept: who, when, which items.",
        "Объявите класс с «history»: true, и последние 50 изменений каждого документа будут храниться: кто, когда, какие элементы.",
        "Déclarez la classe avec «\u{a0}history\u{a0}»\u{a0}: true, et les 50 derniers changements de chaque document seront gardés\u{a0}: qui, quand, quels éléments.";
    NO_CHANGES: "No changes are known", "Изменения неизвестны", "Aucun changement connu";
    NO_CHANGES_HINT: "The history begins with the first change after it was switched on.",
        "История начинается с первого изменения после её включения.",
        "L’historique commence au premier changement après sa mise en route.";
    KIND_CREATED: "created", "создан", "créé";
    KIND_CHANGED: "changed", "изменён", "modifié";
    KIND_DELETED: "deleted", "удалён", "supprimé";
    KIND_RECREATED: "created anew", "создан заново", "recréé";
    // An item
    DOCUMENT_VERSION: "Version of the document", "Версия документа", "Version du document";
    ITEM_VERSION: "Version of the item", "Версия элемента", "Version de l’élément";
    AS_IT_IS: "As it is now", "Сейчас", "Tel qu’il est";
    NOT_THERE: "There is no such item yet: saving adds it.", "Такого элемента пока нет: сохранение добавит его.", "Cet élément n’existe pas encore\u{a0}: enregistrer l’ajoute.";
    NOT_THERE_READER: "There is no such item.", "Такого элемента нет.", "Cet élément n’existe pas.";
    VALUE_JSON: "Value (JSON)", "Значение (JSON)", "Valeur (JSON)";
    VALUE_TEXT: "Value (text)", "Значение (текст)", "Valeur (texte)";
    LINE_ENDS: "This text has line ends of another system (CR). A browser saves plain ones (LF): edit it by a program if they matter.",
        "В этом тексте концы строк другой системы (CR). Браузер сохранит обычные (LF): если они важны, правьте программой.",
        "Ce texte a des fins de ligne d’un autre système (CR). Un navigateur en enregistre de simples (LF)\u{a0}: modifiez-le par un programme si elles comptent.";
    FROM_VERSION: "You edit version {v}. If somebody changes the document meanwhile, saving is refused and your text stays.",
        "Вы правите версию {v}. Если документ тем временем изменят, сохранение будет отклонено, а ваш текст останется.",
        "Vous modifiez la version {v}. Si quelqu’un change le document entre-temps, l’enregistrement est refusé et votre texte reste.";
    NEEDS_KEY: "Items of this class have keys: give one.", "У элементов этого класса есть ключи: укажите ключ.", "Les éléments de cette classe ont des clés\u{a0}: donnez-en une.";
    IS_COPY: "This is a copy of an item of another document. It follows its source: what is changed here is replaced with the source's next change.",
        "Это копия элемента другого документа. Она следует за источником: изменённое здесь сменится при его следующем изменении.",
        "C’est la copie d’un élément d’un autre document. Elle suit sa source\u{a0}: ce qui est changé ici est remplacé au prochain changement de la source.";
}

/// How many further items a change touched.
pub const MORE_ITEMS: Counted = Counted {
    en: ["and {n} more", "and {n} more"],
    ru: ["и ещё {n}", "и ещё {n}", "и ещё {n}"],
    fr: ["et {n} de plus", "et {n} de plus"],
};
