import type { tools as english } from "../../../../shared/sentences/tools.ts"
import { translation } from "../../translation.ts"

export const tools = translation<typeof english>()({
  answer_too_large: "Il server ha mandato più di {{count}} MB.",
  arguments_not_object: "Gli argomenti devono essere un oggetto.",
  arguments_too_long: "Gli argomenti superano {{count}} caratteri.",
  arguments_unfit: "Gli argomenti non vanno bene: {{what}}",
  code_too_large: "Il codice ha richiesto più memoria di quella che può avere ed è stato interrotto.",
  code_too_slow: "Il codice è durato più di {{count}} s ed è stato interrotto.",
  duckduckgo_wants_person:
    "DuckDuckGo vuole prima vedere una persona. Riprova più tardi, o scegli un’altra ricerca nelle Impostazioni.",
  ended_from_outside:
    "Questo strumento è stato chiuso dall’esterno. Il computer potrebbe avere poca memoria: riprova tra un po’.",
  no_page: "Il server ha risposto {{status}}: questa pagina non esiste, o non è per tutti.",
  no_place: "Non si conosce alcun luogo di nome «{{place}}».",
  no_program: "Su questo computer non c’è questo programma.",
  no_room:
    "In questa risposta non c’è posto per altri risultati: rispondi con quello che c’è, o chiedi di meno.",
  no_such_document:
    "Nelle cartelle di questa chat non c’è questo documento. Elenca i file per vedere quali ci sono.",
  fact_changed:
    "Il fatto è cambiato da quando è stato chiesto, quindi non è stato fatto nulla. Richiama i fatti e riprova.",
  no_such_fact: "Nessun fatto contiene queste parole. Prima richiamali.",
  no_web_search: "Non si può cercare nel web: {{why}}.",
  not_encrypted: "{{host}} verrebbe raggiunto senza cifratura. Usa un indirizzo https.",
  not_started: "Non è stato possibile avviare questo strumento. Riprova tra un po’.",
  other_folder: "Questa non è una cartella di questa chat. Ci sono: {{all}}",
  page_without_text: "In questa pagina non c’è testo.",
  pictures_of_text: "Questo documento contiene solo immagini di testo.",
  search_busy: "Per ora {{engine}} non accetta altre ricerche. Riprova più tardi.",
  search_refused:
    "{{engine}} rifiuta la ricerca ({{status}}): controlla le sue impostazioni, per esempio la chiave.",
  search_status: "{{engine}} ha risposto {{status}} invece di dare risultati.",
  search_unknown: "{{engine}} ha risposto qualcosa che non sono risultati: controlla le sue impostazioni.",
  server_ended: "Il server è stato chiuso.",
  server_ended_early: "Il server si è chiuso prima di rispondere.",
  server_keeps_failing: "Il server ha fallito più volte di seguito. Riprova tra un minuto.",
  server_not_reached: "Il server non è raggiungibile, o non parla il Model Context Protocol.",
  server_refused: "Il server ha rifiutato: {{words}}",
  server_said: "{{what}} Ha detto: {{words}}",
  server_too_slow: "Il server ha impiegato troppo tempo.",
  several_facts: "Più fatti contengono queste parole, sii più preciso: {{all}}",
  sign_in_failed: "L’accesso non è riuscito: {{words}}",
  text_needed: "Per {{action}} serve «text».",
  too_many_servers: "Sono in uso troppi server. Riprova tra un po’.",
  too_much_to_calculate: "È troppo da calcolare: usa numeri o matrici più piccoli.",
  weather_busy: "Per ora il servizio meteo non accetta altre domande.",
  weather_status: "Il servizio meteo ha risposto {{status}}.",
  weather_unknown: "Il servizio meteo ha risposto qualcosa di sconosciuto.",
  which_folder: "Le tabelle si interrogano cartella per cartella. Indicane una come folderId: {{all}}",
})
