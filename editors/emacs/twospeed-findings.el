;;; twospeed-findings.el --- Findings of an edit, as Flymake diagnostics  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The result of an edit contains its findings.  A server may also publish
;; them as diagnostics; published ones replace those of results.

;;; Code:

(require 'cl-lib)
(require 'flymake)
(require 'twospeed-document)
(require 'twospeed-server)

(defvar-local twospeed-findings--all nil
  "The findings of the buffer, as LSP diagnostics.")

(defvar-local twospeed-findings--version nil
  "The version of the ranges of the findings.")

(defvar-local twospeed-findings--published nil
  "Whether the server publishes them.")

(defvar-local twospeed-findings--report nil
  "The report function of Flymake.")

(defun twospeed-findings--diagnostic (finding)
  "Return a Flymake diagnostic for FINDING, nil if its range is lost."
  (when-let ((places (twospeed-document-places (plist-get finding :range)
                                               twospeed-findings--version)))
    (let ((start (car places)))
      (flymake-make-diagnostic
       (current-buffer)
       (min start (max (point-min) (1- (point-max))))
       (max (cdr places) (min (1+ start) (point-max)))
       (pcase (plist-get finding :severity) (1 :error) (2 :warning) (_ :note))
       (concat "twospeed: " (plist-get finding :message))))))

(defun twospeed-findings--show ()
  "Report the findings if Flymake is on."
  (when twospeed-findings--report
    (save-restriction
      (widen)
      (funcall twospeed-findings--report
               (delq nil (mapcar #'twospeed-findings--diagnostic twospeed-findings--all))
               :region (cons (point-min) (point-max))))))

(defun twospeed-findings-backend (report &rest _)
  "Report the findings of twospeed to Flymake with REPORT."
  (setq twospeed-findings--report report)
  (if twospeed-document-uri
      (twospeed-findings--show)
    (funcall report nil)))

(defun twospeed-findings-watch ()
  "Show findings in this buffer with Flymake."
  (add-hook 'flymake-diagnostic-functions #'twospeed-findings-backend nil t)
  ;; Eglot removes other backends from the list when it starts.
  (add-hook 'eglot-managed-mode-hook #'twospeed-findings-watch nil t))

(defun twospeed-findings-unwatch ()
  "Remove the findings from this buffer."
  (setq twospeed-findings--all nil)
  (twospeed-findings--show)
  (setq twospeed-findings--report nil)
  (remove-hook 'flymake-diagnostic-functions #'twospeed-findings-backend t)
  (remove-hook 'eglot-managed-mode-hook #'twospeed-findings-watch t))

(defun twospeed-findings-set (findings version)
  "Show the FINDINGS of a result, with ranges of VERSION."
  (unless twospeed-findings--published
    (setq twospeed-findings--all (append findings nil)
          twospeed-findings--version version)
    (twospeed-findings--show)))

(defun twospeed-findings--publish (server params)
  "Handle `textDocument/publishDiagnostics' of SERVER with PARAMS."
  (when-let ((buffer (twospeed-server-buffer server (plist-get params :uri))))
    (with-current-buffer buffer
      (setq twospeed-findings--published t
            twospeed-findings--all (append (plist-get params :diagnostics) nil)
            twospeed-findings--version (or (plist-get params :version)
                                           (twospeed-document-sync)))
      (twospeed-findings--show))))

(twospeed-server-on 'textDocument/publishDiagnostics #'twospeed-findings--publish)

(provide 'twospeed-findings)
;;; twospeed-findings.el ends here
