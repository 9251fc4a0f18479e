;;; twospeed-findings.el --- Findings of an edit, as Flymake diagnostics  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What the checks of an answer noticed is told with its result, and by
;; servers that publish diagnostics also by itself; then that is believed.

;;; Code:

(require 'cl-lib)
(require 'flymake)
(require 'twospeed-document)
(require 'twospeed-server)

(defvar-local twospeed-findings--all nil
  "The findings of the buffer, as LSP diagnostics.")

(defvar-local twospeed-findings--version nil
  "The version at which they stand where they say.")

(defvar-local twospeed-findings--published nil
  "Whether the server publishes them.")

(defvar-local twospeed-findings--report nil
  "Function that Flymake wants them reported to.")

(defun twospeed-findings--diagnostic (finding)
  "Make a Flymake diagnostic of FINDING, nil if its place is gone."
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
  "Report the findings, if Flymake is on."
  (when twospeed-findings--report
    (save-restriction
      (widen)
      (funcall twospeed-findings--report
               (delq nil (mapcar #'twospeed-findings--diagnostic twospeed-findings--all))
               :region (cons (point-min) (point-max))))))

(defun twospeed-findings-backend (report &rest _)
  "Give Flymake the findings of twospeed, with REPORT."
  (setq twospeed-findings--report report)
  (if twospeed-document-uri
      (twospeed-findings--show)
    (funcall report nil)))

(defun twospeed-findings-watch ()
  "Let Flymake show findings in this buffer."
  (add-hook 'flymake-diagnostic-functions #'twospeed-findings-backend nil t)
  ;; Eglot puts others out of that list when it begins.
  (add-hook 'eglot-managed-mode-hook #'twospeed-findings-watch nil t))

(defun twospeed-findings-unwatch ()
  "Let Flymake show no findings in this buffer any more."
  (setq twospeed-findings--all nil)
  (twospeed-findings--show)
  (setq twospeed-findings--report nil)
  (remove-hook 'flymake-diagnostic-functions #'twospeed-findings-backend t)
  (remove-hook 'eglot-managed-mode-hook #'twospeed-findings-watch t))

(defun twospeed-findings-take (findings version)
  "Take the FINDINGS of a result, which stand where they stood at VERSION."
  (unless twospeed-findings--published
    (setq twospeed-findings--all (append findings nil)
          twospeed-findings--version version)
    (twospeed-findings--show)))

(defun twospeed-findings--publish (server params)
  "Take the PARAMS of `textDocument/publishDiagnostics' from SERVER."
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
