//! Cron texts in words: `D0425` is every day at 04:25, and so is `25 4 * * *`.

use kernel::tasks::Cron;

use crate::ui::{Language, Text};

mod words {
    crate::texts! {
        EVERY_MINUTE: "every minute", "каждую минуту", "chaque minute";
        EVERY_MINUTES: "every {n} minutes", "каждые {n} мин", "toutes les {n} minutes";
        HOURLY: "every hour at minute {minute}", "каждый час в {minute} мин", "chaque heure à la minute {minute}";
        DAILY: "every day at {time} UTC", "ежедневно в {time} UTC", "chaque jour à {time} UTC";
        WEEKLY: "every week on {day} at {time} UTC", "еженедельно ({day}) в {time} UTC", "chaque semaine, le {day} à {time} UTC";
        MONTHLY: "every month on day {day} at {time} UTC", "ежемесячно, число {day}, в {time} UTC", "chaque mois, le {day} à {time} UTC";
        YEARLY: "every year on {month}-{day} at {time} UTC", "ежегодно {day}.{month} в {time} UTC", "chaque année le {day}/{month} à {time} UTC";
        // Of five fields, which may each be a list
        BY_FIELDS: "in UTC: {fields}", "по UTC: {fields}", "en UTC\u{a0}: {fields}";
        MINUTES: "minutes {values}", "минуты {values}", "minutes {values}";
        HOURS: "hours {values}", "часы {values}", "heures {values}";
        DAYS: "days {values}", "числа {values}", "jours du mois {values}";
        MONTHS: "months {values}", "месяцы {values}", "mois {values}";
        WEEKDAYS: "weekdays {values} (1 is Monday)", "дни недели {values} (1 — понедельник)", "jours de la semaine {values} (1 pour lundi)";
        EITHER: "{days} or {weekdays}", "{days} или {weekdays}", "{days} ou {weekdays}";
        MONDAY: "Monday", "понедельник", "lundi";
        TUESDAY: "Tuesday", "вторник", "mardi";
        WEDNESDAY: "Wednesday", "среда", "mercredi";
        THURSDAY: "Thursday", "четверг", "jeudi";
        FRIDAY: "Friday", "пятница", "vendredi";
        SATURDAY: "Saturday", "суббота", "samedi";
        SUNDAY: "Sunday", "воскресенье", "dimanche";
    }
}

const WEEKDAYS: [&Text; 7] = [
    &words::MONDAY,
    &words::TUESDAY,
    &words::WEDNESDAY,
    &words::THURSDAY,
    &words::FRIDAY,
    &words::SATURDAY,
    &words::SUNDAY,
];

/// When it runs again and again, in words.
#[must_use]
pub fn in_words(language: Language, cron: &Cron) -> String {
    let text = cron.to_string();
    let fields: Vec<&str> = text.split(' ').collect();
    match fields.as_slice() {
        [minute, hour, day, month, weekday] => standard(language, [minute, hour, day, month, weekday]),
        _ => short(language, &text),
    }
}

fn short(language: Language, text: &str) -> String {
    let (letter, digits) = text.split_at(1);
    let (date, time) = digits.split_at(digits.len().saturating_sub(4));
    let clock = || format!("{}:{}", &time[..2], &time[2..]);
    match letter {
        "H" => language.fill(&words::HOURLY, &[("minute", &digits)]),
        "D" => language.fill(&words::DAILY, &[("time", &clock())]),
        "W" => language.fill(&words::WEEKLY, &[("day", &weekday(language, date)), ("time", &clock())]),
        "M" => language.fill(&words::MONTHLY, &[("day", &date), ("time", &clock())]),
        _ => language.fill(&words::YEARLY, &[("month", &&date[..2]), ("day", &&date[2..]), ("time", &clock())]),
    }
}

/// As the short text that says the same, where there is one; or else field by field.
fn standard(language: Language, fields: [&str; 5]) -> String {
    let values = fields.map(|field| field.parse::<u8>().ok());
    let says = fields.map(|field| field != "*");
    let same = match (values, says) {
        ([Some(minute), ..], [_, false, false, false, false]) => format!("H{minute:02}"),
        ([Some(minute), Some(hour), ..], [_, _, false, false, false]) => format!("D{hour:02}{minute:02}"),
        ([Some(minute), Some(hour), .., Some(weekday)], [_, _, false, false, _]) => {
            format!("W{}{hour:02}{minute:02}", if weekday == 0 { 7 } else { weekday })
        }
        // A later day is left out by months that do not have it.
        ([Some(minute), Some(hour), Some(day @ ..=28), ..], [_, _, _, false, false]) => {
            format!("M{day:02}{hour:02}{minute:02}")
        }
        ([Some(minute), Some(hour), Some(day @ ..=28), Some(month), _], [_, _, _, _, false]) => {
            format!("Y{month:02}{day:02}{hour:02}{minute:02}")
        }
        _ => return by_fields(language, fields, says),
    };
    short(language, &same)
}

fn by_fields(language: Language, fields: [&str; 5], says: [bool; 5]) -> String {
    let [minutes, _, days, _, weekdays] = fields;
    if says == [false; 5] {
        return language.say(&words::EVERY_MINUTE).to_owned();
    }
    let step = minutes.strip_prefix("*/").and_then(|step| step.parse::<u8>().ok());
    if let (Some(step), [_, false, false, false, false]) = (step.filter(|step| 60 % step == 0), says) {
        return language.fill(&words::EVERY_MINUTES, &[("n", &step)]);
    }
    let names = [&words::MINUTES, &words::HOURS, &words::DAYS, &words::MONTHS, &words::WEEKDAYS];
    let said = |place: usize| says[place].then(|| language.fill(names[place], &[("values", &fields[place])]));
    let both = (said(2), said(4), !days.starts_with('*') && !weekdays.starts_with('*'));
    let last = match both {
        (Some(days), Some(weekdays), true) => {
            [Some(language.fill(&words::EITHER, &[("days", &days), ("weekdays", &weekdays)])), None]
        }
        (days, weekdays, _) => [days, weekdays],
    };
    let all = [said(0), said(1), said(3)].into_iter().chain(last);
    language.fill(&words::BY_FIELDS, &[("fields", &all.flatten().collect::<Vec<_>>().join("; "))])
}

fn weekday(language: Language, number: &str) -> &'static str {
    let place = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    place.and_then(|place| WEEKDAYS.get(place)).map_or("", |text| language.say(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_8_cron_texts_are_said_in_words() {
        let said = |text: &str| in_words(Language::English, &text.parse().unwrap());
        assert_eq!(said("H25"), "every hour at minute 25");
        assert_eq!(said("D0425"), "every day at 04:25 UTC");
        assert_eq!(said("W30425"), "every week on Wednesday at 04:25 UTC");
        assert_eq!(said("M100425"), "every month on day 10 at 04:25 UTC");
        assert_eq!(said("Y11100425"), "every year on 11-10 at 04:25 UTC");
    }

    #[test]
    fn con_8_ker_21_standard_cron_texts_are_said_in_the_same_words_where_they_say_the_same() {
        let said = |text: &str| in_words(Language::English, &text.parse().unwrap());
        assert_eq!(said("25 * * * *"), "every hour at minute 25");
        assert_eq!(said("5 4 * * *"), "every day at 04:05 UTC");
        assert_eq!(said("25 4 * * 0"), "every week on Sunday at 04:25 UTC");
        assert_eq!(said("25 4 10 * *"), "every month on day 10 at 04:25 UTC");
        assert_eq!(said("25 4 10 11 *"), "every year on 11-10 at 04:25 UTC");
        assert_eq!(said("* * * * *"), "every minute");
        assert_eq!(said("*/15 * * * *"), "every 15 minutes");
        assert_eq!(said("*/7 * * * *"), "in UTC: minutes */7");
        assert_eq!(said("0 0 31 * *"), "in UTC: minutes 0; hours 0; days 31");
        assert_eq!(said("30 9 * 6-8 1-5"), "in UTC: minutes 30; hours 9; months 6-8; weekdays 1-5 (1 is Monday)");
        assert_eq!(said("0 6 1,15 * 1"), "in UTC: minutes 0; hours 6; days 1,15 or weekdays 1 (1 is Monday)");
    }
}
