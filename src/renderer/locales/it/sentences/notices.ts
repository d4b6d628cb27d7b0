import type { notices as english } from "../../../../shared/sentences/notices.ts"
import { translation } from "../../translation.ts"

export const notices = translation<typeof english>()({
  accounts_left_out:
    "Gli account collegati dell’assistente sono stati esclusi: la chiave API ha diritti limitati.",
  attachment_in_part:
    "{{name}} è troppo lungo perché il modello lo riceva in una volta: ha l’inizio, l’indice e ciò che riguarda la domanda. Chiedi un riassunto perché venga letto per intero.",
  attachment_unread: "{{name}} non è stato letto. {{what}}",
  call_refused:
    "Non si poteva chiedere a nessuno se usare questi strumenti, perciò non sono stati usati: {{tools}}.",
  content_filter: "La risposta finisce qui: l’ha interrotta il filtro del server del modello.",
  context_full:
    "La risposta finisce qui: i risultati degli strumenti riempiono tutto ciò che il modello può contenere.",
  embedding_elsewhere:
    "Ricerca solo per parole chiave: questo resta su questo computer, e il modello di ricerca gira su un server.",
  embedding_unavailable:
    "Ricerca solo per parole chiave: il modello di ricerca, che trova i passaggi per significato, non ha risposto.",
  empty_answer: "Il modello ha finito senza rispondere. Riprova con altre parole o con un altro modello.",
  file_being_read:
    "{{name}} era ancora in lettura quando è stata data la risposta: ciò che dice può mancare qui.",
  files_being_read:
    "{{count, number}} file erano ancora in lettura quando è stata data la risposta: ciò che dicono può mancare qui.",
  folders_left_out: "Le cartelle dell’assistente sono state escluse: la chiave API non ha l’ambito folders.",
  index_rebuilding: "L’indice di ricerca è in costruzione; alcuni passaggi non si trovano ancora.",
  filter_matches_no_file: "Nessun file delle cartelle scelte corrisponde al filtro.",
  message_left_out:
    "Il messaggio più vecchio è stato escluso: la conversazione supera ciò che il modello può contenere.",
  messages_left_out:
    "I {{count}} messaggi più vecchi sono stati esclusi: la conversazione supera ciò che il modello può contenere.",
  model_loading: "{{model}} viene caricato in memoria.",
  model_missing: "Il modello scelto qui non c’è più, quindi risponde {{model}}.",
  model_unavailable: "{{what}} Nel frattempo, questi sono i passaggi più pertinenti.",
  no_embedding_model:
    "Ricerca solo per parole chiave: per trovare i passaggi anche per significato, procurati un modello di ricerca in Impostazioni, Modelli.",
  no_model:
    "Non è installato alcun modello: questi sono i passaggi più pertinenti. Aggiungi un modello in Impostazioni, Modelli.",
  no_passages: "Nelle cartelle scelte non c’è nulla di pertinente a questo messaggio.",
  no_vision:
    "{{model}} non vede le immagini, quindi ha ricevuto il testo che vi è stato riconosciuto. Scegli un modello che vede perché le guardi.",
  nothing_in_filter: "Nulla di pertinente nei file che corrispondono al filtro: {{count, number}}.",
  notes_by_file:
    "Questi sono gli appunti su ciascun file così come sono: {{model}} non ne ha ricavato una risposta sola. Chiedi di meno file o scegli un altro modello.",
  notes_by_file_refused:
    "Questi sono gli appunti su ciascun file così come sono: non se ne è potuta ricavare una risposta. {{what}}",
  passages_left_out:
    "Il messaggio non lascia spazio ai passaggi delle cartelle in ciò che il modello può contenere. Accorcialo.",
  pictures_left_out:
    "{{count}} immagini sono state escluse: a un modello si mostrano le {{most}} più recenti di una conversazione.",
  not_read_whole:
    "Per leggere tutto serve un modello a cui lo si possa inviare. Questi sono i passaggi più pertinenti, non tutto ciò che c’è.",
  reading_whole: "Per questo viene letto tutto ciò di cui si chiede: {{characters, number}} caratteri.",
  reranker_late:
    "Solo alcuni passaggi sono stati riordinati: il modello di riordinamento ha impiegato troppo tempo.",
  reranker_unavailable:
    "I passaggi restano nell’ordine della ricerca: il modello di riordinamento non ha risposto.",
  stays_here:
    "Questo resta su questo computer, quindi {{model}}, che gira su un server, non è stato interpellato. Ecco i passaggi più adatti; scegli un modello su questo computer perché risponda.",
  stays_here_now:
    "La risposta finisce qui: ciò che ha letto ora resta su questo computer, quindi a {{model}}, che gira su un server, non viene inviato altro. Scegli un modello su questo computer per continuare.",
  table_cut:
    "La tabella finisce qui: altre {{count, number}} righe sarebbero troppe per una sola risposta. Chiedi di meno file per averle tutte.",
  too_much_for_whole:
    "Questa risposta viene dai passaggi più pertinenti, non da tutto ciò che c’è: sarebbero {{characters, number}} caratteri o più. Chiedi di meno file perché vengano letti per intero.",
  tool_limit:
    "La risposta finisce qui: ha raggiunto il limite di chiamate agli strumenti, o di tempo, per una sola risposta.",
  tools_left_out: "Lo strumento {{name}} è stato tralasciato: la sua descrizione non si può dare al modello.",
})
