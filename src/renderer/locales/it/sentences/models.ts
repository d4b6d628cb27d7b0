import type { models as english } from "../../../../shared/sentences/models.ts"
import { translation } from "../../translation.ts"

export const models = translation<typeof english>()({
  cannot_answer: "Questo modello non può scrivere risposte. Scegline un altro.",
  cannot_embed: "Questo modello non può trovare passaggi in base al significato. Scegline un altro.",
  cannot_rerank: "Questo modello non può riordinare i passaggi. Scegline un altro.",
  catalogue_invalid: "models.json nella cartella dei dati non è un catalogo: {{place}}: {{what}}.",
  catalogue_not_json: "models.json nella cartella dei dati non è scritto in JSON.",
  changed_on_server: "Il file sul server è cambiato; viene scaricato da capo.",
  check_connection: "{{what}} Controlla la connessione a internet, poi riprendi.",
  connection_lost: "La connessione con il server si è interrotta.",
  context_at_most: "Qui questo modello può contenere al massimo {{count, number}} token insieme.",
  download_cut_short: "Il server ha chiuso il download in anticipo.",
  download_in_circles: "Il server rimanda il download in tondo. Riprova più tardi, o con un altro mirror.",
  download_needs_room:
    "Il download richiede {{size}} di spazio libero su disco e ce ne sono {{free}}. Fai spazio, o scegli un modello più piccolo.",
  download_refused: "Il server ha rifiutato il download: {{status}}.",
  download_unsafe: "Il server rimanda il download a un indirizzo non sicuro. Scegli un altro mirror.",
  downloaded_already: "Questo modello è già stato scaricato.",
  downloading_already: "Questo modello è già in fase di download.",
  file_deleted: "Il file scaricato è stato eliminato: {{why}}. Riprova, o scegli un altro mirror.",
  file_gone: "Il file non c’è più. Rimettilo al suo posto, o dimentica questo modello.",
  in_use: "Questo modello è in uso. Prima scegline un altro.",
  instructions_too_long:
    "Le istruzioni sono troppo lunghe per questo modello, che regge {{count}} token, pezzi di parola ({{sizes}}). Accorciale, o scegli un modello che ne regge di più.",
  link_in_the_way:
    "Dove dovrebbe trovarsi {{directory}} della cartella dei dati c’è un file o un collegamento. Toglilo, poi riprendi il download.",
  message_too_long:
    "Il messaggio è troppo lungo per questo modello, che regge {{count}} token, pezzi di parola ({{sizes}}). Accorcialo, o scegli un modello che ne regge di più.",
  no_chat_model: "Non è installato alcun modello di chat. Procuratene uno in Impostazioni, Modelli.",
  no_download: "Questo download non esiste.",
  no_embedding_model:
    "Non è installato alcun modello di ricerca, che trova i passaggi per significato. Procuratene uno in Impostazioni, Modelli.",
  no_file: "In questo percorso non c’è alcun file.",
  no_such_file:
    "Il server non ha questo file. Controlla il nome del modello, quello del file e da dove vengono i modelli.",
  none_such: "Su questo computer non c’è questo modello.",
  not_complete: "non è un file di modello completo (GGUF)",
  not_in_catalogue: "Nel catalogo non c’è questo modello.",
  one_of_several: "Il file è una parte di più file: scegli un modello in un unico file.",
  other_chosen:
    "È stato scelto un altro modello mentre veniva scritta questa risposta. Invia di nuovo il messaggio.",
  other_file: "Il server ha un file diverso da quello descritto nel catalogo. Scegli un altro mirror.",
  part_for_media: "Il file è una parte per immagini o suoni, non un modello a sé.",
  passages_too_long:
    "I passaggi delle cartelle sono troppo lunghi per questo modello, che regge {{count}} token, pezzi di parola ({{sizes}}). Accorciali, o scegli un modello che ne regge di più.",
  path_not_whole: "path deve essere il percorso completo del file.",
  runs_elsewhere: "Questo modello gira su un server, che lo decide.",
  server_gone:
    "Il server {{server}} è stato rimosso mentre il suo modello scriveva questa risposta. Scegli un altro modello e invia di nuovo il messaggio.",
  server_silent: "Il server non dà più segni di vita.",
  server_status: "Il server ha risposto {{status}}.",
  server_unreachable: "Il server non è raggiungibile.",
  shorter_on_server: "Il file sul server è più corto di quanto è già arrivato; viene scaricato da capo.",
  signed_in_only:
    "Il server dà questo file solo a chi ha effettuato l’accesso. Scaricalo in un browser e aggiungilo dal disco.",
  size_unknown: "Il server non dice quanto è grande il file. Scegli un altro mirror.",
  no_such_model: "Questo modello non esiste.",
  invalid_address:
    "Questo server non si può attivare, perché il suo indirizzo deve cominciare con http:// o https:// e non contenere nome, password, ? o #. Lascialo disattivato e aggiungi di nuovo il server.",
  no_such_server: "Questo server di modelli non esiste.",
  too_many: "Sono stati aggiunti troppi modelli. Prima dimenticane qualcuno.",
  too_many_servers: "Si possono aggiungere al massimo {{count}} server di modelli. Prima rimuovine uno.",
  too_many_at_once:
    "Si scaricano al massimo {{count}} modelli alla volta. Metti in pausa uno, o aspetta che uno finisca.",
  too_many_downloads: "Ci sono troppi download in attesa. Prima annullane qualcuno.",
  tools_too_long:
    "Gli strumenti sono troppo lunghi per questo modello, che regge {{count}} token, pezzi di parola ({{sizes}}). Riducili, o scegli un modello che ne regge di più.",
  vision_is_known: "Se questo modello accetta immagini è già noto.",
  wrong_checksum: "non è il file pubblicato (il suo codice di controllo è sbagliato)",
  wrong_size: "ha {{size}} byte invece di {{expected}}",
})
