import type { tools as english } from "../../../../shared/sentences/tools.ts"
import { translation } from "../../translation.ts"

export const tools = translation<typeof english>()({
  answer_too_large: "Il server ha mandato più di {{count, number}} MB.",
  arguments_not_object: "Gli argomenti devono essere un oggetto.",
  arguments_too_long: "Gli argomenti superano {{count, number}} caratteri.",
  arguments_unfit: "Gli argomenti non sono validi: {{what}}",
  code_too_large: "Il codice ha esaurito la memoria ed è stato interrotto.",
  code_too_slow: "Il codice è durato più di {{count, number}} s ed è stato interrotto.",
  duckduckgo_wants_person:
    "DuckDuckGo chiede un CAPTCHA. Riprova più tardi, o scegli un altro motore di ricerca in Impostazioni › Ricerca sul web.",
  ended_from_outside:
    "Questo strumento è stato interrotto dal sistema. Il computer potrebbe avere poca memoria. Riprova più tardi.",
  no_page: "Il server ha risposto {{status}}: questa pagina non esiste, o non è pubblica.",
  no_place: "Nessun luogo di nome «{{place}}» trovato.",
  no_program: "Questo programma non è su questo computer.",
  no_room:
    "In questa risposta non c’è spazio per altri risultati. Rispondi con quello che c’è, o chiedi di meno.",
  no_such_document:
    "Documento non trovato nelle cartelle di questa chat. Elenca i file per vedere quali ci sono.",
  fact_changed:
    "Il fatto è cambiato da quando è stato chiesto, quindi non è stato fatto nulla. Richiama i fatti e riprova.",
  no_such_fact: "Nessun fatto contiene queste parole. Prima richiama i fatti.",
  no_web_search: "Non si può cercare sul web: {{why}}.",
  not_encrypted: "{{host}} verrebbe raggiunto senza cifratura. Usa un indirizzo https.",
  not_started: "Non è stato possibile avviare questo strumento. Riprova più tardi.",
  other_folder: "Questa non è una cartella di questa chat. Disponibili: {{all}}",
  page_without_text: "In questa pagina non c’è testo.",
  pictures_of_text: "Questo documento contiene solo immagini di testo.",
  search_busy: "Al momento {{engine}} non accetta altre ricerche. Riprova più tardi.",
  search_refused:
    "{{engine}} ha rifiutato la ricerca ({{status}}). Controlla le sue impostazioni, per esempio la chiave.",
  search_status: "{{engine}} ha risposto {{status}} invece di dare risultati. Riprova più tardi.",
  search_unknown: "{{engine}} ha restituito qualcosa che non sono risultati. Controlla le sue impostazioni.",
  server_ended: "Il server MCP è stato interrotto.",
  server_ended_early: "Il server MCP si è chiuso prima di rispondere.",
  server_keeps_failing: "Il server MCP ha avuto errori più volte di seguito. Riprova tra un minuto.",
  server_not_reached: "Il server non è raggiungibile, o non supporta il Model Context Protocol.",
  server_refused: "Il server MCP ha rifiutato: {{words}}",
  server_said: "{{what}} Ha detto: {{words}}",
  server_too_slow: "Il server MCP ha impiegato troppo tempo.",
  several_facts: "Più fatti contengono queste parole. Sii più specifico: {{all}}",
  sign_in_failed: "L’accesso non è riuscito: {{words}}",
  text_needed: "Per {{action}} serve «text».",
  too_many_servers: "Sono in uso troppi server MCP. Riprova più tardi.",
  too_much_to_calculate: "È troppo da calcolare. Usa numeri o matrici più piccoli.",
  weather_busy: "Al momento il servizio meteo non accetta altre richieste. Riprova più tardi.",
  weather_status: "Il servizio meteo ha risposto {{status}}.",
  weather_unknown: "Il servizio meteo ha dato una risposta sconosciuta.",
  which_folder: "Le tabelle si interrogano cartella per cartella. Indicane una come folderId: {{all}}",
})
