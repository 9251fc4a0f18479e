;;; init.el --- The configuration of Emacs in tests  -*- lexical-binding: t; -*-

;;; Commentary:

;; Loads the package as a user would, and connects to the socket of the test.
;; Forms from the test are evaluated between commands; their values and events
;; are sent back.

;;; Code:

(require 'json)

(setq inhibit-startup-screen t
      make-backup-files nil
      auto-save-default nil
      create-lockfiles nil
      ring-bell-function #'ignore
      use-dialog-box nil
      confirm-kill-processes nil)
(setq native-comp-deferred-compilation nil ; the home folder is new each time, so it would compile all files
      native-comp-jit-compilation nil) ; the name in Emacs 29
(menu-bar-mode 0)
(electric-indent-mode 0) ; typed keys must add no indentation

(defvar test-connection
  (make-network-process :name "test" :family 'local :service (getenv "TWOSPEED_TEST_SOCKET")
                        :coding 'utf-8-unix :noquery t :filter #'ignore)
  "The connection to the test.")

(defun test-send (kind value)
  "Send the test an event of KIND with VALUE."
  (process-send-string test-connection (concat (json-serialize (list :kind kind :value value)
                                                               :null-object nil
                                                               :false-object :json-false)
                                               "\n")))

(defvar test-incomplete-line "" "The incomplete last line of the input.")

(defun test-receive (_process text)
  "Schedule the evaluation of the forms in TEXT between commands."
  (let ((lines (split-string (concat test-incomplete-line text) "\n")))
    (setq test-incomplete-line (car (last lines)))
    (dolist (line (butlast lines))
      (run-at-time 0 nil #'test-evaluate (read line)))))

(defun test-evaluate (numbered)
  "Evaluate the form in NUMBERED, and send its value with its number.
The current buffer is the shown one."
  (pcase-let ((`(,number ,form) numbered))
    (with-current-buffer (window-buffer (or (minibuffer-selected-window) (selected-window)))
      (let* (deactivate-mark
             (problem (condition-case problem
                          (progn
                            (test-send "value" (list :number number :value (eval form t)))
                            nil)
                        (error (error-message-string problem)))))
        (when problem
          (test-send "value" (list :number number :error problem)))))))

(set-process-filter test-connection #'test-receive)

;; A key that reports that all earlier keys are handled, and has no other effect.
(defun test-typed ()
  "Report that all earlier keys are handled."
  (interactive)
  (setq this-command last-command)
  (test-send "typed" t))

(define-key input-decode-map "\e[34~" [f20])
(global-set-key [f20] #'test-typed)
(define-key isearch-mode-map [f20] #'test-typed)

(advice-add 'message :before
            (lambda (format &rest arguments)
              (when (stringp format)
                (let ((text (apply #'format-message format arguments)))
                  (unless (string-empty-p text)
                    (test-send "message" (substring-no-properties text)))))))

;; By default Emacs discards the keys after a failed one. A test waits for F20.
(setq command-error-function
      (lambda (data _context _caller) (message "%s" (error-message-string data))))

;; Report the choices of a menu.
(add-hook 'minibuffer-setup-hook
          (lambda ()
            (when minibuffer-completion-table
              (test-send "choices" (vconcat (all-completions "" minibuffer-completion-table
                                                             minibuffer-completion-predicate))))))

(when-let ((package (getenv "TWOSPEED_PACKAGE")))
  (add-to-list 'load-path package)
  (require 'twospeed)
  (setq twospeed-command (append (json-parse-string (getenv "TWOSPEED_COMMAND")
                                                    :array-type 'list)
                                 nil))
  (add-hook 'prog-mode-hook #'twospeed-mode)
  (add-hook 'text-mode-hook #'twospeed-mode)
  (advice-add 'twospeed-document-open :after
              (lambda (&rest _) (test-send "opened" twospeed-document-uri)))
  (advice-add 'twospeed-apply-answer :around
              (lambda (answer server params)
                (when-let ((callback (symbol-value 'test-before-apply-edit)))
                  (set 'test-before-apply-edit nil)
                  (funcall callback))
                (let ((response (funcall answer server params)))
                  (test-send "applyEdit" (append (list :seq (plist-get params :seq)) response))
                  (test-send "text" (buffer-substring-no-properties (point-min) (point-max)))
                  response)))
  (advice-add 'twospeed-review--update :after
              (lambda (_server params) (test-send "edit" params)))
  (add-hook 'twospeed-server-changed-hook (lambda () (test-send "server" t))))

(defvar test-before-apply-edit nil
  "A function to call once, before the next applyEdit request is handled.")

(when-let ((more (getenv "TWOSPEED_MORE")))
  (load more nil t))

(test-send "started" emacs-version)
;;; init.el ends here
