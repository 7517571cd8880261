//! What is known of a task's last failure, and what its code means in words.

use kernel::tasks::Task;
use maud::{Markup, html};

use crate::ui::Text;

mod words {
    crate::texts! {
        LOST: "Its run was lost: the node that ran it ended or fell silent.", "Запуск потерян: узел, который её выполнял, остановился или замолчал.",
            "Son exécution s’est perdue\u{a0}: le nœud qui l’exécutait s’est arrêté ou s’est tu.";
        XTARGET: "The target refused, or could not be called at all: it was certainly not done.",
            "Целевой адрес отказал или его не удалось вызвать: работа точно не сделана.",
            "La cible a refusé ou n’a pas pu être appelée\u{a0}: ce n’est certainement pas fait.";
        XCONTACT: "The call broke off: whether the target did it is unknown. It is called again with the same task id, by which it tells a repeat.",
            "Вызов оборвался: неизвестно, сделана ли работа. Вызов повторят с тем же идентификатором задачи, по нему повтор узнаваем.",
            "L’appel s’est rompu\u{a0}: on ignore si la cible l’a fait. Elle est rappelée avec le même identifiant, qui signale une répétition.";
        TTIME: "It did not end within its time.", "Она не уложилась в отведённое время.", "Elle n’a pas fini dans le temps imparti.";
        NOPERATION: "This program knows no such operation; another version may.", "Эта версия программы не знает такой операции; другая, возможно, знает.",
            "Ce programme ne connaît pas cette opération\u{a0}; une autre version peut-être.";
        BPANIC: "The program itself failed: a bug. The log has the details.", "Сбой в самой программе: ошибка разработчика. Подробности в журнале сервера (log).",
            "Le programme lui-même a échoué\u{a0}: un bogue. Le fichier journal (log) a les détails.";
        // By the letter of the code
        A: "A rule was broken: running it again helps only after the cause is mended.", "Нарушено правило: повторный запуск поможет, только если устранить причину.",
            "Une règle n’est pas respectée\u{a0}: relancer n’aide qu’après correction de la cause.";
        N: "Something that it names is not there.", "Того, на что она ссылается, нет.", "Ce qu’elle désigne n’existe pas.";
        B: "A bug was detected: please report it.", "Обнаружена ошибка программы: сообщите о ней.", "Un bogue a été détecté\u{a0}: signalez-le.";
        X: "Something outside failed: disk, network or load. It mostly passes by itself.", "Внешний сбой: диск, сеть или нагрузка. Обычно проходит сам.",
            "Une cause extérieure\u{a0}: disque, réseau ou charge. Cela passe le plus souvent tout seul.";
        D: "The program or its data is too old for this.", "Программа или данные для этого слишком старые.", "Le programme ou ses données sont trop anciens.";
        C: "It met with others who changed the same; trying again helps.", "Столкнулась с другими изменениями того же; помогает повтор.",
            "D’autres modifiaient la même chose\u{a0}; réessayer suffit.";
        O: "The namespace is switched off.", "Пространство отключено.", "L’espace est désactivé.";
        S: "It was not allowed.", "Ей это не разрешено.", "Ce n’était pas autorisé.";
        T: "It ran out of time.", "Не хватило времени.", "Le temps a manqué.";
    }
}

/// What a code means, in one sentence.
pub(super) fn meaning(code: &str) -> Option<&'static Text> {
    Some(match code {
        "LOST" => &words::LOST,
        "XTARGET" => &words::XTARGET,
        "XCONTACT" => &words::XCONTACT,
        "TTIME" => &words::TTIME,
        "NOPERATION" => &words::NOPERATION,
        "BPANIC" => &words::BPANIC,
        _ => match code.chars().next()? {
            'A' => &words::A,
            'N' => &words::N,
            'B' => &words::B,
            'X' => &words::X,
            'D' => &words::D,
            'C' => &words::C,
            'O' => &words::O,
            'S' => &words::S,
            'T' => &words::T,
            _ => return None,
        },
    })
}

/// The first line of what is known of the last failure.
pub(super) fn first_line(task: &Task) -> Option<&str> {
    task.report.as_deref().and_then(|report| report.lines().next()).map(str::trim).filter(|line| !line.is_empty())
}

/// Code and first line, for a list.
pub(super) fn short(task: &Task) -> Markup {
    html! {
        @if let Some(code) = &task.exc {
            code { (code) }
            @if let Some(line) = first_line(task) { span.sub { (line.chars().take(160).collect::<String>()) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_8_every_code_has_a_meaning() {
        for code in base::codes::ALL {
            assert!(meaning(code.name).is_some(), "{}", code.name);
        }
        assert!(meaning("LOST").is_some() && meaning("").is_none() && meaning("q").is_none());
    }
}
