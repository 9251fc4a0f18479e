;;; init_lsp_mode.el --- lsp-mode with twospeed and a second server  -*- lexical-binding: t; -*-

;;; Code:

(package-activate-all)
(require 'lsp-mode)

(if-let ((page (getenv "TWOSPEED_PAGE")))
    (load page nil t)
  (add-to-list 'load-path (getenv "TWOSPEED_ADD_ON"))
  (require 'twospeed-lsp-mode)
  (setq twospeed-command (append (json-parse-string (getenv "TWOSPEED_COMMAND")
                                                    :array-type 'list)
                                 nil)))

(setq lsp-enabled-clients '(twospeed second-server)
      lsp-auto-guess-root t
      lsp-session-file (expand-file-name "lsp-session" (getenv "HOME"))
      lsp-restart 'ignore
      lsp-auto-execute-action nil ; show the menu for a single action too
      lsp-enable-snippet nil
      lsp-enable-file-watchers nil
      lsp-headerline-breadcrumb-enable nil
      lsp-warn-no-matched-clients nil)

(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection
                   (append (json-parse-string (getenv "TWOSPEED_SECOND_SERVER") :array-type 'list)
                           nil))
  :major-modes '(python-mode)
  :server-id 'second-server))

(defun test-lsp-workspace ()
  "Return the ready workspace of twospeed in this buffer, or nil."
  (seq-find (lambda (workspace)
              (and (eq (lsp--client-server-id (lsp--workspace-client workspace)) 'twospeed)
                   (eq (lsp--workspace-status workspace) 'initialized)))
            (lsp-workspaces)))

(add-hook 'prog-mode-hook #'lsp)
(add-hook 'lsp-after-open-hook
          (lambda () (test-send "opened" (lsp--buffer-uri))))
;;; init_lsp_mode.el ends here
