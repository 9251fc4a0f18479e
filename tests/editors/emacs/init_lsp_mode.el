;;; init_lsp_mode.el --- lsp-mode with twospeed among its servers  -*- lexical-binding: t; -*-

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

(setq lsp-enabled-clients '(twospeed neighbour)
      lsp-auto-guess-root t
      lsp-session-file (expand-file-name "lsp-session" (getenv "HOME"))
      lsp-restart 'ignore
      lsp-auto-execute-action nil ; also a single action is to be chosen
      lsp-enable-snippet nil
      lsp-enable-file-watchers nil
      lsp-headerline-breadcrumb-enable nil
      lsp-warn-no-matched-clients nil)

(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection
                   (append (json-parse-string (getenv "TWOSPEED_NEIGHBOUR") :array-type 'list)
                           nil))
  :major-modes '(python-mode)
  :server-id 'neighbour))

(defun test-lsp-workspace ()
  "Give the workspace of our server in this buffer, if it is ready."
  (seq-find (lambda (workspace)
              (and (eq (lsp--client-server-id (lsp--workspace-client workspace)) 'twospeed)
                   (eq (lsp--workspace-status workspace) 'initialized)))
            (lsp-workspaces)))

(add-hook 'prog-mode-hook #'lsp)
(add-hook 'lsp-after-open-hook
          (lambda () (test-tell "opened" (lsp--buffer-uri))))
;;; init_lsp_mode.el ends here
