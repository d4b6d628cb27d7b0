import type { core as english } from "../../../../shared/sentences/core.ts"
import { translation } from "../../translation.ts"

export const core = translation<typeof english>()({
  address_not_public: "Questo indirizzo non appartiene all’internet pubblica, quindi non viene letto.",
  address_with_password: "Un indirizzo non può contenere un nome o una password.",
  answer_too_large: "Supera {{count}} MB.",
  closed_in_data_directory:
    "Casella non può usare «{{place}}» nella sua cartella dei dati. Permettile di leggere e scrivere lì, poi riprova.",
  data_moved:
    "La cartella dei dati di Casella è stata spostata o sostituita mentre è in esecuzione, quindi non si può salvare nulla. Rimettila al suo posto, oppure riavvia Casella nella nuova posizione.",
  database_away:
    "Il server del database non è raggiungibile. Ciò che era salvato è al sicuro; riprova tra poco.",
  database_busy: "Un altro programma sta usando il database di Casella. Chiudilo, o riprova tra poco.",
  database_disk_full: "Il disco del server del database è pieno. Chi se ne occupa deve fare spazio.",
  database_read_only:
    "Il server del database ora non accetta modifiche. Ciò che era salvato è al sicuro; riprova tra poco.",
  database_replaced:
    "Un file del database di Casella è stato rimosso, sostituito o sovrascritto mentre è in esecuzione, quindi non si può salvare altro. Riavvia Casella quando il suo registro dice che cosa è salvato: riprende da lì.",
  database_slow: "Il database impiega troppo tempo a rispondere. Non è cambiato nulla; riprova tra poco.",
  directory_linked:
    "Una cartella nella cartella dei dati di Casella è stata sostituita con un collegamento simbolico mentre è in esecuzione, quindi non si può salvare nulla. Rimetti la cartella al suo posto; il registro dice quale.",
  directory_on_other_drive:
    "Una cartella nella cartella dei dati di Casella si trova ora su un'altra unità mentre Casella è in uso, quindi non si può salvare nulla. Monta o smonta l'unità, così che sia come prima, o riavvia Casella se deve restare così; il registro dice quale cartella.",
  disk_full: "Il disco è pieno. Libera spazio e riprova.",
  file_gone: "Questo file non è più nella cartella.",
  local_only: "Casella lavora solo in locale, quindi non viene inviato nulla a {{host}}. {{remedy}}",
  local_only_program:
    "Casella lavora solo in locale, e questo programma potrebbe raggiungere altri computer da sé. {{remedy}}",
  name_of_file: "«{{name}}» qui è il nome di un file. Scegli un’altra sottocartella.",
  no_picture_there: "A questo indirizzo non c’è alcuna immagine.",
  no_server_named: "Non c’è alcun server di nome {{host}}.",
  no_text_there: "Lì non c’è testo da leggere, ma {{type}}.",
  not_a_directory:
    "«{{place}}» nella cartella dei dati deve essere una cartella. Sposta altrove ciò che si trova lì, poi riavvia Casella.",
  not_absolute_address: "Questo non è un indirizzo completo.",
  other_computers: "altri computer",
  owner_can_allow_programs:
    "Un proprietario può disattivarlo o consentire questi programmi in Impostazioni, Privacy.",
  owner_can_switch_off: "Un proprietario può disattivarlo in Impostazioni, Privacy.",
  path_absolute: "{{field}} deve essere un percorso dentro la cartella, non uno assoluto.",
  path_not_unicode: "{{field}} deve essere Unicode valido.",
  path_too_deep: "{{field}} non può superare {{count}} cartelle di profondità.",
  path_too_long: "{{field}} non può superare {{count}} caratteri.",
  path_with_dots: "{{field}} non può contenere «..» né nomi fatti di punti e spazi.",
  path_with_drive: "{{field}} non può indicare un’unità.",
  path_with_empty_name: "{{field}} contiene un nome senza alcun carattere utilizzabile.",
  path_with_long_name: "{{field}} contiene un nome di oltre {{count}} byte.",
  path_with_nul: "{{field}} non può contenere un carattere NUL.",
  path_with_own_name: "{{field}} contiene un nome che Casella tiene per sé.",
  path_with_reserved_name: "{{field}} non può contenere il nome riservato «{{name}}».",
  path_with_separator: "{{field}} contiene un carattere che vale come separatore di percorso.",
  path_without_name: "{{field}} deve finire con il nome del file.",
  picture_not_fetched: "Non è possibile scaricare l’immagine.",
  port_without_pages: "Su questa porta non c’è alcuna pagina web.",
  redirected_without_end: "Il server rimanda da un indirizzo all’altro senza fine.",
  secrets_damaged:
    "secrets.json nella cartella dei dati è danneggiato. Spostalo altrove, poi inserisci di nuovo le chiavi e accedi di nuovo ai servizi.",
  server_too_slow: "Il server ha impiegato più di {{count}} s per rispondere.",
  server_unreachable: "Il server non è raggiungibile, o non è un server del web.",
  shutting_down: "Casella si sta chiudendo.",
  something_unknown: "qualcosa di sconosciuto",
  started_local_only: "È stata avviata con --local-only: avviala senza per cambiarlo.",
  system_refuses:
    "Il sistema non permette a Casella di usare un file o una cartella che qui servono. Controlla i permessi e l’unità; il registro dice di quale si tratta.",
  temporary_files_closed:
    "Casella non può scrivere i suoi file temporanei. Permettile di scrivere in tmp nella sua cartella dei dati e riprova.",
  too_many_open_files: "Su questo computer sono aperti troppi file. Riprova tra poco.",
  too_much_waiting: "C’è già troppo in attesa. Riprova tra un po’.",
  web_addresses_only: "Si possono leggere solo indirizzi http e https.",
  stopping: "Casella si sta chiudendo. Riprova quando è in funzione.",
})
