;;; twospeed-document.el --- Buffers as the server knows them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A buffer that is open at the server tells it of each change.  Changes are
;; noted as they happen and told when Emacs next waits for input, or ahead of
;; any other message about the buffer, with one version for all of them.
;;
;; A change that cannot be told from what Emacs says of it (modification hooks
;; that were inhibited, an indirect buffer, a carriage return) is told by
;; sending the whole text.  `buffer-chars-modified-tick' tells that there was
;; one.
;;
;; Versions count through all of a session and never come again: an edit that
;; was made for a buffer before it was read from disk anew finds no version
;; that it fits.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'url-util)
(require 'twospeed-text)

(defvar twospeed-document--last-version 0
  "The last version any document had.")

(defvar-local twospeed-document--tell nil
  "Function that takes a method and params and sends them; nil if not open.")

(defvar-local twospeed-document-uri nil
  "The URI under which the buffer is open at the server.")

(defvar-local twospeed-document--version nil
  "The version the server was told last.")

(defvar-local twospeed-document--changes nil
  "Changes the server was not told, newest first, or t for the whole text.")

(defvar-local twospeed-document--told nil
  "What versions changed: conses of a version and its changes, newest first.")

(defvar-local twospeed-document--tick nil
  "The `buffer-chars-modified-tick' that all noted changes lead to.")

(defvar-local twospeed-document--mixed nil
  "Whether the buffer may hold a carriage return.")

(defvar-local twospeed-document--before nil
  "The change that is about to happen: its start, end and LSP range.")

(defvar-local twospeed-document--timer nil
  "Timer that tells the server of changes.")

(defconst twospeed-document--versions-kept 100
  "For so many versions positions can be followed.")

;;; Opening and closing

(defun twospeed-document-obstacle ()
  "Say why the buffer cannot be open at a server, nil if it can."
  (cond
   ((not buffer-file-name) "it visits no file")
   ((file-remote-p buffer-file-name) "its file is on another machine")
   ((or (not enable-multibyte-characters) (not (twospeed-text-fit-p)))
    "it holds bytes that are no text")))

(defun twospeed-document--text ()
  "Give the whole text of the buffer."
  (save-restriction
    (widen)
    (buffer-substring-no-properties (point-min) (point-max))))

(defun twospeed-document-file-uri (file)
  "Give the URI of FILE."
  (concat "file://"
          (if (eq system-type 'windows-nt) "/" "")
          (url-hexify-string (encode-coding-string (expand-file-name file) 'utf-8-unix)
                             (cons ?/ (cons ?: url-unreserved-chars)))))

(defconst twospeed-document--language-ids
  '((c++ . "cpp") (js . "javascript") (js2 . "javascript") (js3 . "javascript")
    (js-jsx . "javascriptreact") (rjsx . "javascriptreact") (tsx . "typescriptreact")
    (sh . "shellscript") (bash . "shellscript") (mhtml . "html") (nxml . "xml")
    (makefile-gmake . "makefile") (makefile-bsdmake . "makefile") (conf-toml . "toml")
    (emacs-lisp . "elisp") (lisp-interaction . "elisp") (latex . "latex")
    (text . "plaintext") (fundamental . "plaintext"))
  "LSP's language ids of modes whose names are others.")

(defun twospeed-document--language-id ()
  "Give LSP's language id of the buffer."
  (let ((mode (replace-regexp-in-string "\\(-ts\\)?-mode\\'" "" (symbol-name major-mode))))
    (or (alist-get (intern mode) twospeed-document--language-ids)
        (and buffer-file-name (string-suffix-p ".tsx" buffer-file-name) "typescriptreact")
        (and buffer-file-name (string-suffix-p ".jsx" buffer-file-name) "javascriptreact")
        mode)))

(defun twospeed-document-open (tell)
  "Open the buffer at a server.
TELL takes a method and params and sends them."
  (setq twospeed-document--tell tell
        twospeed-document-uri (twospeed-document-file-uri buffer-file-name)
        twospeed-document--changes nil
        twospeed-document--told nil
        twospeed-document--before nil
        twospeed-document--tick (buffer-chars-modified-tick)
        twospeed-document--mixed (twospeed-text-mixed-p))
  (add-hook 'before-change-functions #'twospeed-document--before-change 95 t)
  (add-hook 'after-change-functions #'twospeed-document--after-change -95 t)
  (funcall tell 'textDocument/didOpen
           (list :textDocument
                 (list :uri twospeed-document-uri
                       :languageId (twospeed-document--language-id)
                       :version (twospeed-document--new-version)
                       :text (twospeed-document--text)))))

(defun twospeed-document-close ()
  "Close the buffer at the server."
  (when twospeed-document--tell
    (let ((tell twospeed-document--tell)
          (params (list :textDocument (list :uri twospeed-document-uri))))
      (twospeed-document-forget)
      (funcall tell 'textDocument/didClose params))))

(defun twospeed-document-forget ()
  "Let go of the buffer without a word to the server."
  (remove-hook 'before-change-functions #'twospeed-document--before-change t)
  (remove-hook 'after-change-functions #'twospeed-document--after-change t)
  (when (and twospeed-document--timer
             (not (buffer-base-buffer))) ; a clone has that of the other buffer
    (cancel-timer twospeed-document--timer))
  (setq twospeed-document--timer nil
        twospeed-document--tell nil
        twospeed-document-uri nil))

(defun twospeed-document-save ()
  "Tell the server that the buffer was saved."
  (when (twospeed-document-sync)
    (funcall twospeed-document--tell 'textDocument/didSave
             (list :textDocument (list :uri twospeed-document-uri)))))

(defun twospeed-document--new-version ()
  "Begin a version, and return it."
  (setq twospeed-document--version (cl-incf twospeed-document--last-version)))

;;; Noting changes

(defun twospeed-document--before-change (start end)
  "Note that START to END are about to change."
  (unless (eq twospeed-document--tick (buffer-chars-modified-tick))
    (setq twospeed-document--changes t)) ; somebody changed it behind our back
  (setq twospeed-document--before
        (unless (or twospeed-document--mixed (eq twospeed-document--changes t))
          (list start end (twospeed-text-range start end)))))

(defun twospeed-document--after-change (start end length)
  "Note that START to END have taken the place of LENGTH characters."
  (let ((before twospeed-document--before)
        (tick (buffer-chars-modified-tick)))
    (unless (eq tick twospeed-document--tick) ; nothing but text properties
      (setq twospeed-document--before nil)
      (twospeed-document--note (and before (apply #'twospeed-document--change
                                                  start end length before)))
      (setq twospeed-document--tick tick)
      (unless twospeed-document--timer
        (setq twospeed-document--timer
              (run-at-time 0 nil #'twospeed-document--sync-buffer (current-buffer)))))))

(defun twospeed-document--change (start end length old-start old-end range)
  "Make the content change for START, END and LENGTH.
OLD-START and OLD-END were announced, and stood at RANGE; Emacs may
announce more than it changes.  Give nil where the two do not fit."
  (let ((grown (- end start length)))
    (when (and (<= old-start start) (<= (+ start length) old-end))
      (save-restriction
        (widen)
        (list :range range
              :text (buffer-substring-no-properties old-start (+ old-end grown)))))))

(defun twospeed-document--note (change)
  "Note CHANGE; nil is one that only the whole text can tell."
  (if (or (not change)
          (eq twospeed-document--changes t)
          (string-search "\r" (plist-get change :text)))
      (setq twospeed-document--changes t
            twospeed-document--mixed (twospeed-text-mixed-p))
    (push change twospeed-document--changes)))

;;; Telling the server

(defun twospeed-document--sync-buffer (buffer)
  "Tell the server of the changes of BUFFER."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (setq twospeed-document--timer nil)
      (twospeed-document-sync))))

(defun twospeed-document-sync ()
  "Tell the server of all changes; return the version, nil if not open."
  (when twospeed-document--tell
    (unless (eq twospeed-document--tick (buffer-chars-modified-tick))
      (setq twospeed-document--changes t ; somebody changed it behind our back
            twospeed-document--mixed (twospeed-text-mixed-p)
            twospeed-document--tick (buffer-chars-modified-tick)))
    (when twospeed-document--changes
      (twospeed-document--tell-changes))
    (and twospeed-document--tell twospeed-document--version)))

(defun twospeed-document--tell-changes ()
  "Tell the server what has changed, unless it cannot be told any more."
  (let ((changes (if (eq twospeed-document--changes t)
                     (list (list :text (twospeed-document--text)))
                   (nreverse twospeed-document--changes))))
    (setq twospeed-document--changes nil)
    (if (cl-every (lambda (change) (twospeed-text-fit-p (plist-get change :text))) changes)
        (let ((version (twospeed-document--new-version)))
          (setq twospeed-document--told
                (seq-take (cons (cons version changes) twospeed-document--told)
                          twospeed-document--versions-kept))
          (funcall twospeed-document--tell 'textDocument/didChange
                   (list :textDocument (list :uri twospeed-document-uri :version version)
                         :contentChanges (vconcat changes))))
      (twospeed-document-close)
      (message "twospeed: this buffer now holds bytes that are no text, and is left alone"))))

(defun twospeed-document-id ()
  "Give the document and its version, in which all changes are told."
  (let ((version (twospeed-document-sync)))
    (list :uri twospeed-document-uri :version version)))

;;; Ranges of an earlier version

(defun twospeed-document-places (range version)
  "Give the places of an LSP RANGE that was true at VERSION.
Nil if it cannot be followed to the text as it stands."
  (let ((now (twospeed-document-sync))
        (since (reverse (seq-take-while (lambda (told) (> (car told) version))
                                        twospeed-document--told)))
        (start (plist-get range :start))
        (end (plist-get range :end)))
    (when (and now (<= version now))
      (cl-dolist (change (apply #'append (mapcar #'cdr since))
                         (twospeed-text-places (list :start start :end end)))
        (unless (plist-get change :range)
          (cl-return nil))
        (setq start (twospeed-text-moved start change)
              end (twospeed-text-moved end change))))))

(provide 'twospeed-document)
;;; twospeed-document.el ends here
