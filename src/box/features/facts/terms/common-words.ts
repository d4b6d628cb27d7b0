/** Words of any language that say little about a document, and those of addresses and dates. */
const common = new Set(
  (
    "million billion thousand here there another some also one two three new first last said says say made make makes use used uses using see get got may well like just even still however within without per via upon thus therefore hereby etc www http https com org html page pages section chapter file name date number following based given including include includes want need way thing things good many lot time times year years day days month months today " +
    "anche due tre nuovo nuova primo prima ultimo fatto fare può possono essere stato stata così poi ogni altro altra altri altre tale tali pagina pagine sezione capitolo nome data numero anno anni giorno giorni mese mesi volta volte parte inoltre quindi dove sia " +
    "auch zwei drei neue neuen erste ersten letzte gemacht machen immer schon dann hier dort sowie bzw usw dabei damit dazu daher jedoch etwa alle allen jeder jede seite seiten abschnitt kapitel name datum nummer jahr jahre jahren tag tage tagen monat monate zeit teil " +
    "january february march april june july august september october november december gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre januar februar märz mai juni juli oktober dezember monday tuesday wednesday thursday friday saturday sunday"
  ).split(" "),
)

export const isCommon = (word: string): boolean => common.has(word)
