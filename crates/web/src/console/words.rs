//! Words that many pages use. A page's own words stand with the page.

use crate::texts;
use crate::ui::Counted;

texts! {
    // Navigation
    SERVICES: "Services", "Службы", "Services";
    WORK: "Work", "Работа", "Travail";
    WATCH: "Watch", "Наблюдение", "Surveillance";
    ADMINISTRATION: "Administration", "Администрирование", "Administration";
    SKIP: "Skip to content", "К содержанию", "Aller au contenu";
    MENU: "Menu", "Меню", "Menu";
    PAGES: "Pages", "Страницы", "Pages";
    NAMESPACE: "Namespace", "Пространство", "Espace";
    WHOLE_SERVER: "whole server", "весь сервер", "serveur entier";
    LANGUAGE: "Language", "Язык", "Langue";
    THEME: "Theme", "Тема", "Thème";
    THEME_AUTO: "As the device", "Как на устройстве", "Comme l’appareil";
    THEME_LIGHT: "Light", "Светлая", "Clair";
    THEME_DARK: "Dark", "Тёмная", "Sombre";
    LIVE: "Live", "На связи", "En direct";
    NOT_LIVE: "Not live: connecting again", "Нет связи: подключаемся снова", "Hors ligne\u{a0}: reconnexion";
    NEEDS_SCRIPT: "Actions and live updates need JavaScript. The same can be done with the command line or the API.",
        "Для действий и обновлений нужен JavaScript. То же можно сделать из командной строки или через API.",
        "Les actions et les mises à jour demandent JavaScript. La ligne de commande et l’API font la même chose.";
    API: "API", "API", "API";
    SERVER_STATUS: "Server status", "Состояние сервера", "État du serveur";

    // Everywhere
    YES: "yes", "да", "oui";
    NO: "no", "нет", "non";
    NONE: "none", "нет", "aucun";
    ALL_OF_THEM: "all", "все", "tous";
    NEVER: "never", "никогда", "jamais";
    FILTER: "Filter", "Фильтр", "Filtrer";
    RESET: "Reset", "Сбросить", "Réinitialiser";
    NEXT_PAGE: "Next page", "Следующая страница", "Page suivante";
    LIST_PAGES: "Pages of the list", "Страницы списка", "Pages de la liste";
    FIRST_PAGE: "First page", "Первая страница", "Première page";
    SAVE: "Save", "Сохранить", "Enregistrer";
    CREATE: "Create", "Создать", "Créer";
    RENAME: "Rename", "Переименовать", "Renommer";
    DELETE: "Delete", "Удалить", "Supprimer";
    ACTIONS: "Actions", "Действия", "Actions";
    ID: "Id", "Идентификатор", "Identifiant";
    NAME: "Name", "Имя", "Nom";
    LABEL: "Label", "Метка", "Libellé";
    ROLE: "Role", "Роль", "Rôle";
    STATE: "State", "Состояние", "État";
    KIND: "Kind", "Вид", "Type";
    TEXT: "Text", "Текст", "Texte";
    WHEN: "When", "Когда", "Quand";
    WHO: "Who", "Кто", "Qui";
    FROM: "From", "С", "Du";
    TO: "To", "По", "Au";
    SEARCH: "Search", "Поиск", "Rechercher";
    CREATED: "Created", "Создано", "Créé";
    SIZE: "Size", "Размер", "Taille";
    VERSION: "Version", "Версия", "Version";
    SHOW_ALL: "Show all", "Показать все", "Tout afficher";
    DETAILS: "Details", "Подробно", "Détails";
    // The script
    ENDED: "Your session has ended", "Сеанс завершён", "Votre session est terminée";
    ENDED_HINT: "What you typed is still here. Log in in another tab, then send it.",
        "Введённое сохранено на этой странице. Войдите в другой вкладке и отправьте снова.",
        "Ce que vous avez saisi est toujours là. Connectez-vous dans un autre onglet, puis envoyez-le.";
    ON_THE_WAY: "One moment", "Одну секунду", "Un instant";
    WAY: "The way here", "Навигационная цепочка", "Fil d’Ariane";
    COPY: "Copy", "Копировать", "Copier";
    COPIED: "Copied", "Скопировано", "Copié";
    CANCEL: "Cancel", "Отмена", "Annuler";
    CLOSE: "Close", "Закрыть", "Fermer";
    UNREACHABLE: "The server cannot be reached. Nothing is lost: try again, it is done only once.",
        "Сервер недоступен. Ничего не потеряно: повторите, действие выполнится только один раз.",
        "Le serveur est injoignable. Rien n’est perdu\u{a0}: réessayez, ce n’est fait qu’une fois.";
    REFUSED: "“{what}” was refused", "«{what}»: отказано", "«\u{a0}{what}\u{a0}»\u{a0}: refusé";
    FIELD_REFUSED: "“{field}” was not accepted", "Поле «{field}» не принято", "«\u{a0}{field}\u{a0}» n’a pas été accepté";
    FAILED: "“{what}” did not succeed", "«{what}»: не удалось", "«\u{a0}{what}\u{a0}» n’a pas abouti";
    DONE: "Done", "Готово", "Fait";

    // Roles
    ROLE_ADMIN: "Administrator", "Администратор", "Administrateur";
    ROLE_OPERATOR: "Operator", "Оператор", "Opérateur";
    ROLE_READER: "Reader", "Читатель", "Lecteur";
    ROLE_DATABASE: "Database", "База данных", "Base de données";
    ROLE_DEVICE: "Device", "Устройство", "Appareil";
    ROLE_ACTOR: "Actor", "Исполнитель", "Acteur";
    ROLE_GATEWAY: "Gateway", "Шлюз", "Passerelle";
    ROLE_FOLDER: "Folder client", "Клиент папок", "Client de dossiers";
    ROLE_APP: "Application", "Приложение", "Application";

    // Refusals
    NO_SUCH_PAGE: "There is no such page", "Такой страницы нет", "Cette page n’existe pas";
    NO_SUCH_NAMESPACE: "This namespace is not there", "Такого пространства нет", "Cet espace n’existe pas";
    NOT_FOR_YOU: "Not for your role", "Не для вашей роли", "Pas pour votre rôle";
    NOT_NOW: "Not available right now", "Сейчас недоступно", "Indisponible pour le moment";
    WRONG_REQUEST: "That cannot be shown", "Это нельзя показать", "Impossible d’afficher cela";
    OUR_FAULT: "Something went wrong here", "У нас что-то сломалось", "Une erreur est survenue de notre côté";
    NOT_NOW_HINT: "The server mends this by itself. The page tries again in a few seconds.",
        "Сервер исправит это сам. Страница повторит попытку через несколько секунд.",
        "Le serveur se rétablit tout seul. La page réessaie dans quelques secondes.";
    ANOTHER_ACCOUNT: "Log in with another account", "Войти под другой учётной записью", "Se connecter avec un autre compte";
    TO_OVERVIEW: "To the overview", "К обзору", "Vers la vue d’ensemble";
    ERROR_CODE: "Error code", "Код ошибки", "Code d’erreur";
}

/// How many there are in a list.
pub const ENTRIES: Counted = Counted {
    en: ["{n} entry", "{n} entries"],
    ru: ["{n} запись", "{n} записи", "{n} записей"],
    fr: ["{n} entrée", "{n} entrées"],
};
