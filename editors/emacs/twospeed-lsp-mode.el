;;; twospeed-lsp-mode.el --- Twospeed as a second server of lsp-mode  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; For those who want lsp-mode to run the server, beside their others, in the
;; place of `twospeed-mode':
;;
;;     (with-eval-after-load 'lsp-mode (require 'twospeed-lsp-mode))
;;
;; Edits arrive whole, when the answer is in, and code actions review them.

;;; Code:

(require 'lsp-mode nil t)
(require 'subr-x)
(require 'twospeed-server)

(declare-function lsp-register-client "ext:lsp-mode" (client))
(declare-function make-lsp-client "ext:lsp-mode" (&rest settings))
(declare-function lsp-stdio-connection "ext:lsp-mode" (command &optional test-command))
(declare-function lsp-find-workspace "ext:lsp-mode" (server-id &optional file-name))
(declare-function lsp-request-async "ext:lsp-mode" (method params callback &rest settings))
(declare-function lsp--apply-workspace-edit "ext:lsp-mode" (edit &optional operation))
(declare-function lsp:apply-workspace-edit-params-edit "ext:lsp-protocol" (params))
(declare-function lsp:command-command "ext:lsp-protocol" (command))
(declare-function lsp:command-arguments? "ext:lsp-protocol" (command))
(declare-function lsp--buffer-uri "ext:lsp-mode" ())
(declare-function lsp--region-to-range "ext:lsp-mode" (start end))
(defvar lsp--cur-workspace)

(defvar twospeed-lsp-mode-history nil
  "Instructions, newest first.")

(defun twospeed-lsp-mode--execute (command &rest arguments)
  "Let the server run COMMAND, named without its prefix, with ARGUMENTS."
  (let ((lsp--cur-workspace (or (lsp-find-workspace 'twospeed buffer-file-name)
                                (user-error "Twospeed is not among the servers of lsp-mode here"))))
    (lsp-request-async "workspace/executeCommand"
                       (list :command (concat "twospeed." command)
                             :arguments (vconcat arguments))
                       #'ignore :mode 'detached)))

(defun twospeed-lsp-mode-edit (instruction)
  "Edit the region, or what is around point, by INSTRUCTION."
  (interactive (list (read-string "Edit: " nil 'twospeed-lsp-mode-history)))
  (twospeed-lsp-mode--execute
   "edit"
   (list :uri (lsp--buffer-uri)
         :range (if (use-region-p)
                    (lsp--region-to-range (region-beginning) (region-end))
                  (lsp--region-to-range (point) (point)))
         :instruction instruction))
  (deactivate-mark))

(defun twospeed-lsp-mode-toggle ()
  "Switch between the fast mode and the thorough one."
  (interactive)
  (twospeed-lsp-mode--execute "toggleMode"))

(defun twospeed-lsp-mode-cancel ()
  "Stop the newest edit."
  (interactive)
  (twospeed-lsp-mode--execute "cancel"))

(defun twospeed-lsp-mode-accept ()
  "Keep the newest edit."
  (interactive)
  (twospeed-lsp-mode--execute "accept"))

(defun twospeed-lsp-mode-reject ()
  "Take the newest edit back."
  (interactive)
  (twospeed-lsp-mode--execute "reject"))

;; lsp-mode 8.0 waits for the answer to a code action's command, and drops the
;; messages that come in one piece with it, such as the edit the command leads
;; to.  So they are handled here, without waiting.
(defun twospeed-lsp-mode--handle (action)
  "Run the command of ACTION."
  (apply #'twospeed-lsp-mode--execute
         (string-remove-prefix "twospeed." (lsp:command-command action))
         (append (lsp:command-arguments? action) nil)))

(defun twospeed-lsp-mode--handlers ()
  "Give a table of what handles each of the server's commands."
  (let ((handlers (make-hash-table :test 'equal)))
    (dolist (name '("edit" "toggleMode" "setMode" "cancel" "steer" "accept" "reject" "retry"
                    "showAnswer" "applyAnyway" "repeat" "nextVariation" "review" "dismiss")
                  handlers)
      (puthash (concat "twospeed." name) #'twospeed-lsp-mode--handle handlers))))

;; While lsp-mode 8.0 handles a server's message, it tells a change of the buffer
;; to that server alone, and all others work on with an old text.
(defun twospeed-lsp-mode--apply-edit (_workspace params)
  "Apply the edit in PARAMS, and have every server of the buffer told."
  (let ((lsp--cur-workspace nil))
    (list :applied (condition-case problem
                       (progn
                         (lsp--apply-workspace-edit
                          (lsp:apply-workspace-edit-params-edit params) 'server-requested)
                         t)
                     (error
                      (message "twospeed: %s" (error-message-string problem))
                      :json-false)))))

(defun twospeed-lsp-mode--request-handlers ()
  "Give a table of what answers the server's requests."
  (let ((handlers (make-hash-table :test 'equal)))
    (puthash "workspace/applyEdit" #'twospeed-lsp-mode--apply-edit handlers)
    handlers))

(when (featurep 'lsp-mode)
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection
                     (lambda () (append (twospeed-program-command) '("serve" "--stdio"))))
    :activation-fn (lambda (file _mode) (and file t))
    :action-handlers (twospeed-lsp-mode--handlers)
    :request-handlers (twospeed-lsp-mode--request-handlers)
    :add-on? t
    :priority -2
    :server-id 'twospeed)))

(provide 'twospeed-lsp-mode)
;;; twospeed-lsp-mode.el ends here
