import type { models as english } from "../../../../shared/sentences/models.ts"
import { translation } from "../../translation.ts"

export const models = translation<typeof english>()({
  cannot_answer: "Questo modello non può scrivere risposte. Scegline un altro.",
  cannot_embed: "Questo modello non può trovare passaggi in base al significato. Scegline un altro.",
  cannot_rerank: "Questo modello non può ordinare i passaggi. Scegline un altro.",
  catalogue_invalid: "models.json nella cartella dei dati non è un catalogo valido: {{place}}: {{what}}.",
  catalogue_not_json: "models.json nella cartella dei dati non è JSON valido.",
  changed_on_server: "Il file sul server è cambiato, quindi viene scaricato di nuovo.",
  check_connection: "{{what}} Controlla la connessione a internet, poi riprendi.",
  connection_lost: "La connessione con il server si è interrotta.",
  context_at_most:
    "Su questo computer la finestra di contesto di questo modello può avere al massimo {{count, number}} token.",
  download_cut_short: "Il server ha chiuso il download in anticipo.",
  download_in_circles:
    "Il download continua a essere reindirizzato. Riprova più tardi, o usa un altro mirror.",
  download_needs_space:
    "Il download richiede {{size, number}} GB di spazio libero su disco, ma ce ne sono solo {{free, number}} GB. Libera spazio, o scegli un modello più piccolo.",
  download_refused: "Il server ha rifiutato il download: {{status}}.",
  download_unsafe: "Il server reindirizza il download a un indirizzo non sicuro. Scegli un altro mirror.",
  downloaded_already: "Questo modello è già stato scaricato.",
  downloading_already: "Questo modello è già in fase di download.",
  file_deleted: "Il file scaricato è stato eliminato: {{why}}. Riprova, o scegli un altro mirror.",
  file_gone: "Il file manca. Rimettilo al suo posto, o rimuovi questo modello dall’elenco.",
  in_use: "Questo modello è in uso. Prima scegline un altro.",
  instructions_over_context:
    "La domanda richiede {{total, number}} token, ma la finestra di contesto di questo modello ne ha {{count, number}}. Le sole istruzioni ne richiedono {{size, number}}. Accorcia le istruzioni, o scegli un modello con una finestra di contesto più grande.",
  link_in_the_way:
    "Un file o un collegamento occupa il posto della cartella {{directory}} nella cartella dei dati. Rimuovilo, poi riprendi il download.",
  message_over_context:
    "La domanda richiede {{total, number}} token, ma la finestra di contesto di questo modello ne ha {{count, number}}. Il solo messaggio ne richiede {{size, number}}. Accorcia il messaggio, o scegli un modello con una finestra di contesto più grande.",
  no_chat_model: "Non è installato alcun modello di chat. Scaricane uno in Impostazioni › Altri modelli.",
  no_download: "Download non trovato.",
  no_embedding_model:
    "Non è installato alcun modello di embedding, quindi non si possono trovare passaggi per significato. Scaricane uno in Impostazioni › Altri modelli.",
  no_file: "In questo percorso non c’è alcun file.",
  no_such_file:
    "Il server non ha questo file. Controlla il nome del modello, il nome del file e l’origine dei download.",
  none_such: "Questo modello non è su questo computer.",
  not_complete: "non è un file di modello completo (GGUF)",
  not_in_catalogue: "Questo modello non è nel catalogo.",
  one_of_several: "Questo file è una di più parti. Scegli un modello in un unico file.",
  other_chosen:
    "È stato scelto un altro modello mentre veniva scritta questa risposta. Invia di nuovo il messaggio.",
  other_file: "Il file del server non è quello descritto nel catalogo. Scegli un altro mirror.",
  part_for_media: "Questo file è un componente per immagini o audio, non un modello.",
  passages_over_context:
    "La domanda richiede {{total, number}} token, ma la finestra di contesto di questo modello ne ha {{count, number}}. I soli passaggi delle cartelle ne richiedono {{size, number}}. Abbassa «Passaggi per risposta» nelle impostazioni della cartella, o scegli un modello con una finestra di contesto più grande.",
  path_not_whole: "path deve essere il percorso completo del file.",
  runs_elsewhere: "Questo modello gira su un server, quindi qui non si può impostare.",
  server_gone:
    "Il server {{server}} è stato rimosso mentre il suo modello scriveva questa risposta. Scegli un altro modello e invia di nuovo il messaggio.",
  server_silent: "Il server ha smesso di rispondere.",
  server_status: "Il server ha risposto {{status}}.",
  server_unreachable: "Il server non è raggiungibile.",
  shorter_on_server:
    "Il file sul server è più corto di quanto è stato scaricato, quindi viene scaricato di nuovo.",
  signed_in_only:
    "Il server richiede un accesso per scaricare questo file. Scaricalo in un browser, poi aggiungilo indicando il percorso.",
  size_unknown: "Il server non dice quanto è grande il file. Scegli un altro mirror.",
  no_such_model: "Modello non trovato.",
  invalid_address:
    "Questo server non si può attivare. Il suo indirizzo deve cominciare con http:// o https:// e non contenere nome utente, password, ? o #. Lascialo disattivato e aggiungi di nuovo il server.",
  no_such_server: "Server di modelli non trovato.",
  too_many: "Sono stati aggiunti troppi modelli. Prima rimuovine qualcuno dall’elenco.",
  too_many_servers: "Puoi aggiungere al massimo {{count, number}} server di modelli. Prima rimuovine uno.",
  too_many_at_once:
    "Si possono scaricare al massimo {{count, number}} modelli alla volta. Mettine in pausa uno, o aspetta che uno finisca.",
  too_many_downloads: "Troppi download sono in attesa. Prima annullane qualcuno.",
  tools_over_context:
    "La domanda richiede {{total, number}} token, ma la finestra di contesto di questo modello ne ha {{count, number}}. I soli strumenti ne richiedono {{size, number}}. Disattivane qualcuno, o scegli un modello con una finestra di contesto più grande.",
  vision_is_known: "Casella sa già se questo modello supporta le immagini.",
  wrong_checksum: "non è il file pubblicato (il suo codice di controllo è sbagliato)",
  wrong_size: "ha {{size, number}} byte invece di {{expected, number}}",
})
