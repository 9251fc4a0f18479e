;;; twospeed-server.el --- The server's process and its messages  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; One server serves all buffers of a project.  It is started with the first
;; of them and ended with the last.  What it asks and tells is taken by
;; handlers that other files add with `twospeed-server-on'.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)
(require 'project)
(require 'twospeed-document)
(require 'twospeed-program)

(defvar twospeed-server-changed-hook nil
  "Run when a server has started, has ended, or is in another mode.")

(defvar twospeed-server--all nil
  "All servers that run.")

(defvar twospeed-server--handlers (make-hash-table)
  "Functions of a server and params, by method.")

(defclass twospeed-server-connection (jsonrpc-process-connection)
  ((root :initarg :root :reader twospeed-server-root
         :documentation "Folder of the project.")
   (ready :initform nil :accessor twospeed-server-ready
          :documentation "Whether the session is open.")
   (mode :initform nil :accessor twospeed-server-mode
         :documentation "The mode, and who serves each: `twospeed/modeChanged'.")
   (buffers :initform nil :accessor twospeed-server-buffers
            :documentation "Buffers that are open at the server.")
   (guests :initform 0 :accessor twospeed-server-guests
           :documentation "How many want it to stay for a moment without a buffer.")
   (waiting :initform nil :accessor twospeed-server--waiting
            :documentation "Functions to call once the session is open.")
   (leaving :initform nil :accessor twospeed-server--leaving
            :documentation "Whether its end is wanted."))
  :documentation "A server of twospeed.")

(defvar-local twospeed-server nil
  "The server of the buffer.")

;;; Starting it

(defun twospeed-server--root ()
  "Give the folder of the buffer's project."
  (expand-file-name
   (if-let ((project (project-current)))
       (if (fboundp 'project-root)
           (project-root project)
         default-directory)
     default-directory)))

(defun twospeed-server--start (root)
  "Start a server for ROOT and return it."
  (let* ((command (append (twospeed-program-command) '("serve" "--stdio")))
         (introduction (twospeed-server--introduction root))
         (name (twospeed-server--name root))
         (default-directory root)
         (process-adaptive-read-buffering nil) ; read what comes as it comes
         (server
          (apply
           #'make-instance 'twospeed-server-connection
           :name name
           :root root
           :process (lambda ()
                      (make-process :name name :command command
                                    :connection-type 'pipe :coding 'utf-8-emacs-unix
                                    :noquery t
                                    :stderr (get-buffer-create
                                             (format "*%s stderr*" name))))
           :request-dispatcher #'twospeed-server--answer
           :notification-dispatcher #'twospeed-server--take
           :on-shutdown #'twospeed-server--ended
           (if (slot-exists-p 'jsonrpc-connection '-events-buffer-config)
               '(:events-buffer-config (:size 0 :format full))
             '(:events-buffer-scrollback-size 0)))))
    (push server twospeed-server--all)
    (condition-case nil
        (jsonrpc-async-request
         server 'initialize introduction
         :timeout 30
         :success-fn (lambda (_) (twospeed-server--open-session server))
         :error-fn #'ignore ; its end is told by `twospeed-server--ended'
         :timeout-fn (lambda () (message "twospeed: the server does not answer")))
      (error nil)) ; it has ended already, which is told too
    server))

(defun twospeed-server--name (root)
  "Give a name for a server of ROOT that no other has.
`jsonrpc' calls its buffers by it.  Those of another server it would kill
while it starts this one, and an end that comes just then is told to nobody."
  (let* ((folder (file-name-nondirectory (directory-file-name root)))
         (name (format "twospeed %s" folder))
         (number 1))
    (while (get-buffer (format " *%s stderr*" name))
      (setq number (1+ number)
            name (format "twospeed %s<%d>" folder number)))
    name))

(defun twospeed-server--introduction (root)
  "Give the params of `initialize' for ROOT."
  (let ((uri (twospeed-document-file-uri root)))
    (list :processId (emacs-pid)
          :clientInfo (list :name "twospeed.el" :version emacs-version)
          :rootUri uri
          :workspaceFolders (vector (list :uri uri :name root))
          :initializationOptions (twospeed-program-settings)
          :capabilities
          (list :general '(:positionEncodings ["utf-16"])
                :window '(:showMessage (:messageActionItem (:additionalPropertiesSupport :json-false))
                          :showDocument (:support t))
                :workspace '(:workspaceEdit (:documentChanges t))
                :textDocument
                (list :synchronization '(:didSave t)
                      :codeAction
                      '(:codeActionLiteralSupport
                        (:codeActionKind (:valueSet ["quickfix" "refactor"])))
                      :publishDiagnostics '(:versionSupport t))
                :experimental '(:twospeed (:applyEdit t :events t))))))

(defun twospeed-server--open-session (server)
  "Open the session of SERVER, and do what waits for it."
  (jsonrpc-notify server 'initialized (make-hash-table))
  (setf (twospeed-server-ready server) t)
  (jsonrpc-async-request server 'twospeed/status (make-hash-table)
                         :success-fn (lambda (status) (twospeed-server--learn server status))
                         :error-fn #'ignore)
  (let ((waiting (nreverse (twospeed-server--waiting server))))
    (setf (twospeed-server--waiting server) nil)
    (mapc #'funcall waiting))
  (run-hooks 'twospeed-server-changed-hook))

(defun twospeed-server--learn (server status)
  "Take the mode of SERVER from STATUS, the result of `twospeed/status'."
  (let ((lanes (plist-get status :lanes)))
    (unless (twospeed-server-mode server)
      (setf (twospeed-server-mode server)
            (list :mode (plist-get status :mode)
                  :lightning (twospeed-server--first-ready (plist-get lanes :lightning))
                  :deep (twospeed-server--first-ready (plist-get lanes :deep))))))
  (run-hooks 'twospeed-server-changed-hook))

(defun twospeed-server--first-ready (lane)
  "Give the entry of LANE that serves."
  (let ((entries (append lane nil)))
    (or (cl-find t entries :key (lambda (entry) (plist-get entry :ready)))
        (car entries))))

(defun twospeed-server-when-ready (server function)
  "Call FUNCTION as soon as the session of SERVER is open."
  (if (twospeed-server-ready server)
      (funcall function)
    (push function (twospeed-server--waiting server))))

;;; Buffers

(defun twospeed-server-join ()
  "Open the current buffer at its project's server, which is started if need be."
  (let* ((root (twospeed-server--root))
         (server (or (cl-find root twospeed-server--all
                              :key #'twospeed-server-root :test #'equal)
                     (twospeed-server--start root)))
         (buffer (current-buffer)))
    (setq twospeed-server server)
    (cl-pushnew buffer (twospeed-server-buffers server))
    (twospeed-server-when-ready
     server
     (lambda ()
       (when (and (buffer-live-p buffer)
                  (eq (buffer-local-value 'twospeed-server buffer) server))
         (with-current-buffer buffer
           (twospeed-document-open
            (lambda (method params) (twospeed-server-notify server method params)))))))))

(defun twospeed-server-leave ()
  "Close the current buffer at its server, which is ended if it was the last."
  (when-let ((server twospeed-server))
    (twospeed-document-close)
    (setq twospeed-server nil)
    (setf (twospeed-server-buffers server)
          (delq (current-buffer) (twospeed-server-buffers server)))
    (twospeed-server-stop-unused server)))

(defun twospeed-server-stop-unused (server)
  "End SERVER if nobody uses it."
  (unless (or (> (twospeed-server-guests server) 0)
              (cl-some #'buffer-live-p (twospeed-server-buffers server)))
    (twospeed-server-stop server)))

(defun twospeed-server-buffer (server uri)
  "Give the buffer that is open at SERVER under URI, nil if none is."
  (cl-find-if (lambda (buffer)
                (and (buffer-live-p buffer)
                     (equal uri (buffer-local-value 'twospeed-document-uri buffer))))
              (twospeed-server-buffers server)))

(defun twospeed-server-here ()
  "Give the buffer's server, ready to be asked; wait a moment for one that starts."
  (unless twospeed-server
    (user-error "Twospeed is not on in this buffer: M-x twospeed-mode"))
  (let ((server twospeed-server)
        (deadline (+ (float-time) 10)))
    (with-temp-message (and (not (twospeed-server-ready server)) "Starting twospeed...")
      (while (and (not (twospeed-server-ready server))
                  (jsonrpc-running-p server)
                  (< (float-time) deadline))
        (accept-process-output nil 0.05)))
    (unless (and (twospeed-server-ready server) (jsonrpc-running-p server))
      (user-error "The server of twospeed does not run: M-x twospeed-restart"))
    (unless twospeed-document-uri
      (user-error "Twospeed leaves this buffer alone: %s" (twospeed-document-obstacle)))
    server))

;;; Messages

(defun twospeed-server-on (method handler)
  "Let HANDLER, a function of a server and params, take METHOD.
The answer to a request is what it returns; if that is a function, it is
called with another one soon, outside of the process filter, which takes
the answer whenever there is one."
  (puthash method handler twospeed-server--handlers))

(defun twospeed-server-notify (server method params)
  "Tell SERVER of METHOD with PARAMS, if it runs."
  (when (jsonrpc-running-p server)
    (jsonrpc-notify server method params)))

(defun twospeed-server-request (server method params &optional take)
  "Ask SERVER for METHOD with PARAMS; TAKE is called with the result.
It is called in the current buffer, if that is still there; what the
server answers instead of a result is shown."
  (let ((buffer (current-buffer)))
    (jsonrpc-async-request
     server method params
     :timeout 3600 ; an edit takes as long as it takes; the server has limits of its own
     :success-fn (lambda (result)
                   (when (and take (buffer-live-p buffer))
                     (with-current-buffer buffer
                       (funcall take result))))
     :error-fn (lambda (problem) ; -1 is jsonrpc's own: the server's end is told once
                 (unless (or (twospeed-server--leaving server)
                             (eql (plist-get problem :code) -1))
                   (message "twospeed: %s" (plist-get problem :message)))))))

(defun twospeed-server-execute (server command &rest arguments)
  "Let SERVER run COMMAND, named without its prefix, with ARGUMENTS."
  (twospeed-server-request server 'workspace/executeCommand
                           (list :command (concat "twospeed." command)
                                 :arguments (vconcat arguments))))

(defun twospeed-server--answer (server method params)
  "Answer the request of SERVER for METHOD with PARAMS."
  (if-let ((handler (gethash method twospeed-server--handlers)))
      (funcall handler server params)
    (jsonrpc-error :code -32601 :message (format "twospeed.el does not know %s" method))))

(defun twospeed-server--take (server method params)
  "Take the notification of METHOD with PARAMS from SERVER."
  (when-let ((handler (gethash method twospeed-server--handlers)))
    (funcall handler server params)))

(cl-defmethod jsonrpc-connection-send :around ((server twospeed-server-connection)
                                               &rest message &key result &allow-other-keys)
  "Let the answer in MESSAGE wait if RESULT is a function; SERVER gets it later."
  (if (functionp result)
      (let ((send (lambda (answer)
                    (when (jsonrpc-running-p server)
                      (apply #'jsonrpc-connection-send server
                             (plist-put (copy-sequence message) :result answer))))))
        (run-at-time 0 nil result send))
    (cl-call-next-method)))

(twospeed-server-on 'window/showMessage
                    (lambda (_server params)
                      (message "twospeed: %s" (plist-get params :message))))

(twospeed-server-on 'window/showMessageRequest
                    (lambda (_server params)
                      (lambda (answer)
                        (funcall answer (twospeed-server--choose params)))))

(defun twospeed-server--choose (params)
  "Ask what the PARAMS of `window/showMessageRequest' ask."
  (let ((titles (mapcar (lambda (action) (plist-get action :title))
                        (plist-get params :actions))))
    (when titles
      (let* ((prompt (format "twospeed: %s (C-g for none of them) " (plist-get params :message)))
             (chosen (condition-case nil
                         (completing-read prompt titles nil t)
                       (quit nil))))
        (and chosen (member chosen titles) (list :title chosen))))))

;;; The mode

(twospeed-server-on 'twospeed/modeChanged #'twospeed-server--set-mode)

(defun twospeed-server--set-mode (server mode)
  "Note that SERVER is in MODE now."
  (setf (twospeed-server-mode server) mode)
  (run-hooks 'twospeed-server-changed-hook))

(defun twospeed-server-toggle (server &optional take)
  "Switch the mode of SERVER; call TAKE with the mode when it is done."
  (twospeed-server-request server 'twospeed/setMode (make-hash-table)
                           (lambda (mode)
                             (twospeed-server--set-mode server mode)
                             (when take
                               (funcall take mode)))))

;;; Its end

(defun twospeed-server--ended (server)
  "Let go of SERVER, which has ended."
  (setq twospeed-server--all (delq server twospeed-server--all))
  (setf (twospeed-server-ready server) nil)
  (dolist (buffer (twospeed-server-buffers server))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (twospeed-document-forget))))
  (if (twospeed-server--leaving server)
      (twospeed-server--discard server)
    (message "twospeed: the server has ended%s; M-x twospeed-restart starts it again"
             (twospeed-server--last-words server)))
  (run-hooks 'twospeed-server-changed-hook))

(defun twospeed-server--last-words (server)
  "Give the last line SERVER wrote on stderr, as part of a sentence."
  (let ((log (jsonrpc-stderr-buffer server)))
    (if (not (buffer-live-p log))
        ""
      (let ((lines (split-string (with-current-buffer log (buffer-string)) "\n" t "[ \t]+")))
        (setq lines (cl-remove-if (lambda (line) (string-prefix-p "Process " line)) lines))
        (if lines (format " (%s)" (car (last lines))) "")))))

(defun twospeed-server--discard (server)
  "Kill the buffers of SERVER, which has ended, as soon as nothing runs in them."
  (let ((process (jsonrpc--process server)))
    (run-at-time 0 nil
                 (lambda ()
                   (dolist (buffer (list (jsonrpc-stderr-buffer server)
                                         (jsonrpc-events-buffer server)
                                         (process-buffer process)))
                     (when (buffer-live-p buffer)
                       (kill-buffer buffer)))))))

(defun twospeed-server-stop (server)
  "End SERVER as the protocol wants it, without waiting for it."
  (setf (twospeed-server--leaving server) t)
  (setq twospeed-server--all (delq server twospeed-server--all))
  (if (not (jsonrpc-running-p server))
      (twospeed-server--discard server)
    (let ((exit (lambda (&rest _)
                  (twospeed-server-notify server 'exit nil))))
      (jsonrpc-async-request server 'shutdown nil
                             :timeout 3 :success-fn exit :error-fn exit
                             :timeout-fn (lambda () (jsonrpc-shutdown server))))))

(defun twospeed-server-log-buffer (server)
  "Give the buffer that holds what SERVER wrote on stderr."
  (jsonrpc-stderr-buffer server))

(provide 'twospeed-server)
;;; twospeed-server.el ends here
