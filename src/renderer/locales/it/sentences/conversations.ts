import type { conversations as english } from "../../../../shared/sentences/conversations.ts"
import { translation } from "../../translation.ts"

export const conversations = translation<typeof english>()({
  fork_of_answer: "Puoi continuare in una nuova chat solo da una risposta finita.",
  import_running: "Un’altra importazione è ancora in corso. Aspetta che finisca.",
  no_import: "Importazione non trovata.",
  import_not_held: "Questa importazione non attende più una conferma. Carica di nuovo il file.",
  import_too_long: "Supera i {{count, number}} MB.",
  import_too_deep: "È annidata troppo in profondità.",
  import_cut_off: "Il file finisce nel mezzo di questa chat.",
  import_unknown: "Non è una chat di ChatGPT, Claude o Open WebUI.",
  import_no_text: "Non contiene messaggi con testo.",
  import_too_many_messages: "Ha più di {{count, number}} messaggi.",
  import_would_have_too_many: "Avrebbe più di {{count, number}} messaggi.",
  import_too_many_chats: "Hai già {{count, number}} chat, il massimo. Prima eliminane qualcuna.",
  import_just_deleted:
    "È stata appena eliminata. Annulla l’eliminazione, o importala di nuovo tra un minuto.",
  import_known: "È già in Casella, con tutti i suoi messaggi.",
  import_left_out: "Le sue immagini e i suoi file non vengono importati: {{count, number}}.",
  import_not_json: "Il file non è né uno ZIP né un file JSON di chat.",
  import_bad_archive: "Il file ZIP è danneggiato, troppo grande o non contiene chat.",
  import_too_many_in_file:
    "Il file contiene più di {{count, number}} chat. Dividilo in file più piccoli e importali uno per uno. Le chat già in Casella non vengono importate due volte.",
  import_no_chats: "Il file non contiene chat di ChatGPT, Claude o Open WebUI.",
  import_broke: "Qualcosa è andato storto. Le chat importate finora restano.",
  import_interrupted:
    "Casella si è chiusa durante l’importazione. Importa di nuovo lo stesso file. Le chat già in Casella non vengono importate due volte.",
  id_malformed: "L’id di una chat deve avere da 1 a 200 caratteri e non può essere . o ...",
  no_branch: "In questa chat non c’è questo ramo.",
  no_message: "In questa chat non c’è questo messaggio.",
  none_such: "Chat non trovata. Forse è stata eliminata.",
})
