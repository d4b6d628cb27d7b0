import type { notices as english } from "../../../../shared/sentences/notices.ts"
import { translation } from "../../translation.ts"

export const notices = translation<typeof english>()({
  accounts_left_out:
    "Gli account collegati dell’assistente non sono stati usati, perché la chiave API ha diritti limitati.",
  attachment_in_part:
    "{{name}} è troppo lungo per darlo per intero al modello. Il modello ne ha l’inizio, la struttura e i passaggi pertinenti alla domanda. Chiedi un riassunto perché venga letto per intero.",
  attachment_unread: "{{name}} non è stato letto. {{what}}",
  call_refused:
    "Non si poteva chiedere l’approvazione a nessuno, quindi questi strumenti non sono stati usati: {{tools}}.",
  content_filter:
    "La risposta finisce qui: l’ha interrotta il filtro dei contenuti del fornitore del modello.",
  context_full:
    "La risposta finisce qui: i risultati degli strumenti riempiono la finestra di contesto del modello.",
  embedding_elsewhere:
    "Ricerca solo per parole chiave: questi contenuti restano su questo computer, e il modello di embedding gira su un server.",
  embedding_unavailable: "Ricerca solo per parole chiave, perché il modello di embedding non ha risposto.",
  empty_answer: "Il modello non ha dato alcuna risposta. Riformula la domanda, o prova un altro modello.",
  file_being_read: "{{name}} era ancora in lettura, quindi questa risposta potrebbe non tenerne conto.",
  files_being_read:
    "{{count, number}} file erano ancora in lettura, quindi questa risposta potrebbe non tenerne conto.",
  folders_left_out:
    "Le cartelle dell’assistente non sono state usate, perché la chiave API non ha l’ambito folders.",
  index_rebuilding: "L’indice di ricerca è in costruzione, quindi alcuni passaggi non si trovano ancora.",
  filter_matches_no_file: "Nessun file delle cartelle scelte corrisponde al filtro.",
  message_left_out:
    "Il messaggio più vecchio è stato escluso, perché la chat supera la finestra di contesto del modello.",
  messages_left_out:
    "I {{count, number}} messaggi più vecchi sono stati esclusi, perché la chat supera la finestra di contesto del modello.",
  model_loading: "{{model}} viene caricato in memoria.",
  model_missing: "Il modello scelto non è più disponibile, quindi risponde {{model}}.",
  model_unavailable: "{{what}} Nel frattempo, questi sono i passaggi più pertinenti.",
  no_embedding_model:
    "Ricerca solo per parole chiave. Per trovare i passaggi anche per significato, scarica un modello di embedding in Impostazioni › Altri modelli.",
  no_model:
    "Non è installato alcun modello, quindi questi sono i passaggi più pertinenti. Scarica un modello in Impostazioni › Altri modelli.",
  no_passages: "Nelle cartelle scelte non c’è nulla di pertinente a questo messaggio.",
  no_vision:
    "{{model}} non supporta le immagini, quindi ha ricevuto il testo che vi è stato riconosciuto. Perché vengano usate le immagini stesse, scegli un modello che le supporta.",
  nothing_in_filter:
    "Nei file che corrispondono al filtro ({{count, number}}) non c’è nulla di pertinente a questo messaggio.",
  notes_by_file:
    "Questi sono gli estratti di ciascun file, perché {{model}} non li ha uniti in una sola risposta. Chiedi di meno file, o scegli un altro modello.",
  notes_by_file_refused:
    "Questi sono gli estratti di ciascun file, perché non è stato possibile unirli in una sola risposta. {{what}}",
  passages_left_out:
    "Il messaggio non lascia spazio ai passaggi delle cartelle nella finestra di contesto del modello. Accorcialo.",
  pictures_left_out:
    "{{count, number}} immagini sono state escluse, perché a un modello si inviano solo le {{most, number}} più recenti di una chat.",
  not_read_whole:
    "Per leggere i documenti interi serve un modello a cui questi contenuti si possano inviare. Questi sono solo i passaggi più pertinenti.",
  reading_whole: "Lettura dei documenti interi per questa risposta: {{characters, number}} caratteri.",
  reranker_late:
    "Il modello di reranking ha impiegato troppo tempo, quindi solo alcuni passaggi sono stati ordinati per pertinenza.",
  reranker_unavailable:
    "Il modello di reranking non ha risposto, quindi i passaggi restano nell’ordine della ricerca.",
  stays_here:
    "Questi contenuti restano su questo computer, quindi a {{model}}, che gira su un server, non è stato chiesto nulla. Questi sono i passaggi più pertinenti. Scegli un modello su questo computer per avere una risposta.",
  stays_here_now:
    "La risposta finisce qui: contenuti che ha letto ora restano su questo computer, quindi {{model}}, che gira su un server, non ne riceve altri. Scegli un modello su questo computer per continuare.",
  table_cut:
    "La tabella finisce qui. Altre {{count, number}} righe sarebbero troppe per una sola risposta. Chiedi di meno file per avere tutte le righe.",
  too_much_for_whole:
    "Questa risposta usa solo i passaggi più pertinenti, perché i documenti hanno {{characters, number}} caratteri o più. Chiedi di meno file perché vengano letti per intero.",
  tool_limit:
    "La risposta finisce qui: ha raggiunto il limite di chiamate agli strumenti, o di tempo, per una sola risposta.",
  tools_left_out:
    "Lo strumento {{name}} è stato escluso, perché la sua descrizione non si può dare al modello.",
})
