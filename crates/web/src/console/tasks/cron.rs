//! Cron texts in words: `D0425` is every day at 04:25.

use kernel::tasks::Cron;

use crate::ui::{Language, Text};

mod words {
    crate::texts! {
        HOURLY: "every hour at minute {minute}", "каждый час в {minute} мин", "chaque heure à la minute {minute}";
        DAILY: "every day at {time} UTC", "ежедневно в {time} UTC", "chaque jour à {time} UTC";
        WEEKLY: "every week on {day} at {time} UTC", "еженедельно ({day}) в {time} UTC", "chaque semaine, le {day} à {time} UTC";
        MONTHLY: "every month on day {day} at {time} UTC", "ежемесячно, число {day}, в {time} UTC", "chaque mois, le {day} à {time} UTC";
        YEARLY: "every year on {month}-{day} at {time} UTC", "ежегодно {day}.{month} в {time} UTC", "chaque année le {day}/{month} à {time} UTC";
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
pub(super) fn in_words(language: Language, cron: Cron) -> String {
    let text = cron.to_string();
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

fn weekday(language: Language, number: &str) -> &'static str {
    let place = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    place.and_then(|place| WEEKDAYS.get(place)).map_or("", |text| language.say(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_8_cron_texts_are_said_in_words() {
        let said = |text: &str| in_words(Language::English, text.parse().unwrap());
        assert_eq!(said("H25"), "every hour at minute 25");
        assert_eq!(said("D0425"), "every day at 04:25 UTC");
        assert_eq!(said("W30425"), "every week on Wednesday at 04:25 UTC");
        assert_eq!(said("M100425"), "every month on day 10 at 04:25 UTC");
        assert_eq!(said("Y11100425"), "every year on 11-10 at 04:25 UTC");
    }
}
