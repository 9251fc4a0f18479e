;;; init_second_server.el --- Eglot with a second server  -*- lexical-binding: t; -*-

;;; Code:

(package-activate-all)
(require 'eglot)

(add-to-list 'eglot-server-programs
             (cons 'python-mode (append (json-parse-string (getenv "TWOSPEED_SECOND_SERVER")
                                                           :array-type 'list)
                                        nil)))
(setq eglot-sync-connect 5)
(add-hook 'python-mode-hook #'eglot-ensure)
;;; init_second_server.el ends here
