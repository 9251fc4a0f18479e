;;; twospeed-problems.el --- Errors of other servers that are new since an edit  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Sends the diagnostics of Flymake or Flycheck, for example those of Eglot,
;; before an edit, and again once they have settled after it.  The server finds
;; the errors that are new; they become findings.

;;; Code:

(require 'cl-lib)
(require 'flymake)
(require 'seq)
(require 'twospeed-document)
(require 'twospeed-findings)
(require 'twospeed-review)
(require 'twospeed-server)

(declare-function flycheck-error-line "flycheck")
(declare-function flycheck-error-level "flycheck")
(declare-function flycheck-error-message "flycheck")
(defvar flycheck-current-errors)

(defconst twospeed-problems--quiet 1.5
  "Seconds without a report until the diagnostics have settled.")

(defconst twospeed-problems--limit 15
  "Seconds after which an edit is no longer compared.")

(defconst twospeed-problems--most 500
  "Number of diagnostics in a message.")

(defvar-local twospeed-problems--awaited nil
  "The ids of edits in review whose diagnostics have not been sent.")

(defvar-local twospeed-problems--seen nil
  "The ids of all edits that were in review, newest first.")

(defvar-local twospeed-problems--tick nil
  "The `buffer-chars-modified-tick' of the last report of another server.")

(defvar-local twospeed-problems--timer nil
  "The timer of the quiet time.")

;;; The diagnostics

(defun twospeed-problems--severity (type)
  "Return LSP's severity of TYPE, a type of Flymake or a level of Flycheck."
  (let ((name (format "%s" type)))
    (cond ((string-match-p "error" name) 1)
          ((string-match-p "warning" name) 2))))

(defun twospeed-problems--entry (start end type text)
  "Return an LSP diagnostic from START to END of TYPE with TEXT, or nil."
  (when-let ((severity (twospeed-problems--severity type)))
    (list :range (twospeed-text-range start end) :severity severity :message text)))

(defun twospeed-problems--flymake ()
  "List the diagnostics of Flymake."
  (when (bound-and-true-p flymake-mode)
    (mapcar (lambda (each)
              (unless (eq (flymake-diagnostic-backend each) #'twospeed-findings-backend)
                (twospeed-problems--entry (flymake-diagnostic-beg each)
                                          (flymake-diagnostic-end each)
                                          (flymake-diagnostic-type each)
                                          (flymake-diagnostic-text each))))
            (flymake-diagnostics))))

(defun twospeed-problems--flycheck ()
  "List the diagnostics of Flycheck."
  (when (bound-and-true-p flycheck-mode)
    (save-excursion
      (mapcar (lambda (each)
                (goto-char (point-min))
                (forward-line (1- (or (flycheck-error-line each) 1)))
                (twospeed-problems--entry (point) (point) (flycheck-error-level each)
                                          (or (flycheck-error-message each) "")))
              flycheck-current-errors))))

(defun twospeed-problems-of-others ()
  "Return the errors and warnings of the buffer, errors first, as a vector."
  (save-restriction
    (widen)
    (let ((found (delq nil (append (twospeed-problems--flymake)
                                   (twospeed-problems--flycheck)))))
      (vconcat (seq-take (cl-stable-sort found #'< :key (lambda (each)
                                                          (plist-get each :severity)))
                         twospeed-problems--most)))))

;;; After an edit

(defun twospeed-problems--update ()
  "Wait for the diagnostics of an edit that has entered review."
  (dolist (edit twospeed-review-edits)
    (let ((id (twospeed-review-id edit)))
      (cond
       ((not (twospeed-review-open-p edit))
        (setq twospeed-problems--awaited (delete id twospeed-problems--awaited)))
       ((not (member id twospeed-problems--seen))
        (setq twospeed-problems--seen
              (seq-take (cons id twospeed-problems--seen) twospeed-problems--most))
        (push id twospeed-problems--awaited)
        (run-at-time twospeed-problems--limit nil
                     #'twospeed-problems--give-up (current-buffer) id)
        (when (twospeed-problems--current-p)
          (twospeed-problems--begin-quiet-time)))))))

(add-hook 'twospeed-review-changed-hook #'twospeed-problems--update)

(defun twospeed-problems--current-p ()
  "Return non-nil if the last report is about the current text."
  (eql twospeed-problems--tick (buffer-chars-modified-tick)))

(defun twospeed-problems--note-report ()
  "Note that another server has reported diagnostics of the buffer."
  (when twospeed-document-uri
    (setq twospeed-problems--tick (buffer-chars-modified-tick))
    (when twospeed-problems--awaited
      (twospeed-problems--begin-quiet-time))))

(defun twospeed-problems--begin-quiet-time ()
  "Send the diagnostics unless others are reported meanwhile."
  (when twospeed-problems--timer
    (cancel-timer twospeed-problems--timer))
  (setq twospeed-problems--timer
        (run-at-time twospeed-problems--quiet nil
                     #'twospeed-problems--send-in (current-buffer))))

(defun twospeed-problems--send-in (buffer)
  "Send the diagnostics of BUFFER if they are about its text."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (when (and twospeed-server twospeed-document-uri (twospeed-problems--current-p))
        (dolist (id (reverse twospeed-problems--awaited))
          (twospeed-problems--send id))
        (setq twospeed-problems--awaited nil)))))

(defun twospeed-problems--send (id)
  "Send the diagnostics after the edit with ID; show what the server finds."
  (let ((version (twospeed-document-sync)))
    (jsonrpc-async-request
     twospeed-server 'twospeed/diagnostics
     (list :editId id :version version :diagnostics (twospeed-problems-of-others))
     :success-fn (lambda (result)
                   (when-let ((words (plist-get result :message)))
                     (message "twospeed: %s; M-x twospeed-mend mends it" words)))
     :error-fn #'ignore))) ; the text has changed again, or the edit has ended

(defun twospeed-problems--give-up (buffer id)
  "Send the diagnostics of BUFFER after the edit with ID now or never."
  (when (and (buffer-live-p buffer)
             (member id (buffer-local-value 'twospeed-problems--awaited buffer)))
    (twospeed-problems--send-in buffer)
    (with-current-buffer buffer
      (setq twospeed-problems--awaited (delete id twospeed-problems--awaited)))))

;;; Reports

(defun twospeed-problems--flymake-reported (backend &rest _)
  "Handle a report of BACKEND of Flymake."
  (unless (eq backend #'twospeed-findings-backend)
    (twospeed-problems--note-report)))

;; Flymake has no hook for reports; Flycheck has one.
(advice-add 'flymake--handle-report :after #'twospeed-problems--flymake-reported)
(add-hook 'flycheck-after-syntax-check-hook #'twospeed-problems--note-report)

(provide 'twospeed-problems)
;;; twospeed-problems.el ends here
